// softmax_scratch_reused, put right: a barrier between reading one result and writing the next parts.
#define THREADS 64
__device__ float block_reduce(float value, bool largest, float *scratch) {
  scratch[threadIdx.x] = value;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const float other = scratch[threadIdx.x + half];
      scratch[threadIdx.x] = largest ? fmaxf(scratch[threadIdx.x], other) : scratch[threadIdx.x] + other;
    }
    __syncthreads();
  }
  const float result = scratch[0];
  __syncthreads();
  return result;
}
extern "C" __global__ void right_softmax_with_two_reductions(const float *x, float *out, int columns) {
  __shared__ float scratch[THREADS];
  const float *row = x + blockIdx.x * columns;
  float largest = row[0];
  for (int c = threadIdx.x; c < columns; c += THREADS) largest = fmaxf(largest, row[c]);
  largest = block_reduce(largest, true, scratch);
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += THREADS) sum += expf(row[c] - largest);
  sum = block_reduce(sum, false, scratch);
  for (int c = threadIdx.x; c < columns; c += THREADS) out[blockIdx.x * columns + c] = expf(row[c] - largest) / sum;
}
