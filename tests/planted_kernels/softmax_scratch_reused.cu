// out [rows, columns] = softmax of each row, a block a row. Maximum and sum go through one scratch array, and a fast
// warp writes its part of the sum while a slow one still reads the maximum.
// Modelled on ggml-org/llama.cpp#26385 (block_reduce) and JustVugg/colibri#1098.
#define THREADS 64
__device__ float block_reduce(float value, bool largest, float *scratch) {
  scratch[threadIdx.x] = value;  // FAULT: shared-race scratch
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const float other = scratch[threadIdx.x + half];
      scratch[threadIdx.x] = largest ? fmaxf(scratch[threadIdx.x], other) : scratch[threadIdx.x] + other;
    }
    __syncthreads();
  }
  return scratch[0];  // OR
}
extern "C" __global__ void softmax_scratch_reused(const float *x, float *out, int columns) {
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
