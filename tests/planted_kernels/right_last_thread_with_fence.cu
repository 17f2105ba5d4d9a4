// total [1] = sum of squares of x. Each thread writes, fences and counts for itself; whichever thread of the whole grid
// comes last adds up. No barrier is needed: fence and atomic order the threads of one block as well.
extern "C" __global__ void right_last_thread_with_fence(const float *x, volatile float *square, unsigned *done,
                                                        float *total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  square[i] = x[i] * x[i];
  __threadfence();
  const unsigned threads = gridDim.x * blockDim.x;
  if (atomicAdd(done, 1u) != threads - 1) return;
  __threadfence();
  float sum = 0.0f;
  for (int k = 0; k < threads; ++k) sum += square[k];
  *total = sum;
}
