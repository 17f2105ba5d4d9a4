// sums [gridDim.x], one sum a block of any size: shuffles within warps, one partial sum a warp, and lanes without a
// warp add zero.
extern "C" __global__ void right_partials_of_warps(const float *x, float *sums, int n) {
  __shared__ float partial[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = i < n ? x[i] : 0.0f;
  for (int away = 16; away > 0; away /= 2) sum += __shfl_down_sync(0xffffffffu, sum, away);
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = lane < blockDim.x / 32 ? partial[lane] : 0.0f;
  for (int away = 16; away > 0; away /= 2) sum += __shfl_down_sync(0xffffffffu, sum, away);
  if (lane == 0) sums[blockIdx.x] = sum;
}
