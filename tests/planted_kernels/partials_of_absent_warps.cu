// sums [gridDim.x] = one sum a block of 256 threads. There are 8 partial sums, one a warp, but the last step has each
// of the 32 lanes of the first warp read one. Modelled on xlite-dev/LeetCUDA#409 (online softmax, 8 warps).
#define WARPS 8
extern "C" __global__ void partials_of_absent_warps(const float *x, float *sums, int n) {
  __shared__ float partial[WARPS];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = i < n ? x[i] : 0.0f;
  for (int away = 16; away > 0; away /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, away);
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = partial[lane];  // FAULT: shared-out-of-bounds partial
  for (int away = WARPS / 2; away > 0; away /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, away);
  if (lane == 0) sums[blockIdx.x] = sum;
}
