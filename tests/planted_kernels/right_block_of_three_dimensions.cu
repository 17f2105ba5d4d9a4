// sums [gridDim.x * 2] of x: blocks of 4 by 4 by 4 threads are two warps in the order x, y, z.
extern "C" __global__ void right_block_of_three_dimensions(const float *x, float *sums) {
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  float sum = x[blockIdx.x * 64 + thread];
  for (int away = 16; away > 0; away /= 2) sum += __shfl_down_sync(0xffffffffu, sum, away);
  if (thread % 32 == 0) sums[blockIdx.x * 2 + thread / 32] = sum;
}
