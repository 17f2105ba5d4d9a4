// sums [gridDim.x]: the first warp zeroes all 32 partial sums while other warps already write theirs.
// Modelled on karpathy/llm.c#847 (softmax_autoregressive_backward_kernel, block_acc).
extern "C" __global__ void partials_zeroed_late(const float *x, float *sums, int n) {
  __shared__ float partial[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (warp == 0) partial[lane] = 0.0f;  // FAULT: shared-race partial
  float sum = i < n ? x[i] : 0.0f;
  for (int away = 16; away > 0; away /= 2) sum += __shfl_down_sync(0xffffffffu, sum, away);
  if (lane == 0) partial[warp] = sum;  // OR
  __syncthreads();
  if (warp != 0) return;
  sum = partial[lane];
  for (int away = 16; away > 0; away /= 2) sum += __shfl_down_sync(0xffffffffu, sum, away);
  if (lane == 0) sums[blockIdx.x] = sum;
}
