// out [n] = x [n] as parts of their warp's largest, then of the low half's. Only the low half waits before lane 0 puts
// the second number where all 32 lanes read the first. Compare kokkos/kokkos#1958 (__syncwarp with a mask of half a
// warp).
extern "C" __global__ void half_synced_then_overwritten(const float *x, float *out) {
  __shared__ float scale;
  const int lane = threadIdx.x, i = blockIdx.x * 32 + lane;
  float largest = x[i];
  for (int away = 8; away > 0; away /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, away));
  const float other = __shfl_xor_sync(0xffffffffu, largest, 16);
  if (lane == 0) scale = fmaxf(largest, other);
  __syncwarp();
  float result = x[i] / scale;  // FAULT: shared-race scale
  if (lane < 16) {
    __syncwarp(0x0000ffffu);
    if (lane == 0) scale = largest;  // OR
    __syncwarp(0x0000ffffu);
    result += x[i] / scale;
  }
  out[i] = result;
}
