// out [n] = x [n], each half warp turned around through shared memory, the halves in branches of their own with
// barriers of their own.
extern "C" __global__ void right_half_warps_apart(const float *x, float *out) {
  __shared__ float part[32];
  const int lane = threadIdx.x, i = blockIdx.x * 32 + lane;
  if (lane < 16) {
    part[lane] = x[i];
    __syncwarp(0x0000ffffu);
    out[i] = part[15 - lane];
  } else {
    part[lane] = x[i];
    __syncwarp(0xffff0000u);
    out[i] = -part[47 - lane];
  }
}
