// total [1] = sum of x [n], every thread with a partial sum of its own. Only thread 0 fences, and no barrier tells it
// that the others have written. Compare NVIDIA/Fuser#2391: all threads finish before thread 0 raises the semaphore.
extern "C" __global__ void fence_of_one_thread(const float *x, volatile float *partial, unsigned *done, float *total) {
  __shared__ bool last;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[i] = x[i] * x[i];  // FAULT: global-race partial
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  __threadfence();
  float sum = 0.0f;
  for (int k = 0; k < gridDim.x * blockDim.x; ++k) sum += partial[k];  // OR
  *total = sum;
}
