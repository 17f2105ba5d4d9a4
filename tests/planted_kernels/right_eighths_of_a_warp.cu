// out [n] = x [n] as parts of the sum of each group of eight: shuffles of width 8, each group with a mask of its own.
extern "C" __global__ void right_eighths_of_a_warp(const float *x, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const unsigned mask = 0xffu << (lane / 8 * 8);
  float sum = x[i];
  for (int away = 1; away < 8; away *= 2) sum += __shfl_xor_sync(mask, sum, away, 8);
  out[i] = x[i] / sum;
}
