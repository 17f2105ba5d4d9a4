// sums [gridDim.x * 2] = sums of each half warp. The mask names the low half, but the high half calls, too.
// Modelled on xlite-dev/LeetCUDA#363 (mask 0x0000ffff for all lanes) and NVIDIA/cccl#854 (wrong member mask).
extern "C" __global__ void mask_without_the_caller(const float *x, float *sums) {
  const int lane = threadIdx.x;
  float sum = x[blockIdx.x * 32 + lane];
  for (int away = 8; away > 0; away /= 2)
    sum += __shfl_down_sync(0x0000ffffu, sum, away, 16);  // FAULT: warp-divergence
  if (lane % 16 == 0) sums[blockIdx.x * 2 + lane / 16] = sum;
}
