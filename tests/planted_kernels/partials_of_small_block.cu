// sums [gridDim.x], one sum a block of any size. With fewer than 1,024 threads, the first warp reads partial sums of
// warps that are not there. Modelled on RussWong/CUDATutorial#6 (block softmax: shared_max[32], read by 32 threads).
extern "C" __global__ void partials_of_small_block(const float *x, float *sums, int n) {
  __shared__ float partial[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = i < n ? x[i] : 0.0f;
  for (int away = 16; away > 0; away /= 2) sum += __shfl_down_sync(0xffffffffu, sum, away);
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = partial[lane];  // FAULT: uninitialised-shared partial
  for (int away = 16; away > 0; away /= 2) sum += __shfl_down_sync(0xffffffffu, sum, away);
  if (lane == 0) sums[blockIdx.x] = sum;
}
