// out [n] = x [n] less the smallest of its warp. All lanes copy element 0 to themselves, lane 0 too: it writes what it
// read, and still it writes while others read. Modelled on kokkos/kokkos#4855.
extern "C" __global__ void broadcast_to_itself(const float *x, float *out) {
  __shared__ float value[32];
  const int i = blockIdx.x * 32 + threadIdx.x, lane = threadIdx.x;
  value[lane] = x[i];
  __syncwarp();
  for (int away = 16; away > 0; away /= 2) {
    if (lane < away) value[lane] = fminf(value[lane], value[lane + away]);
    __syncwarp();
  }
  value[lane] = value[0];  // FAULT: shared-race value
  __syncwarp();
  out[i] = x[i] - value[lane];
}
