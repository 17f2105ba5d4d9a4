// total [1] = sum over the blocks' first elements of x. The count goes up before the fence, so that it may be seen
// before the value. Modelled on ROCm/aiter#4007 (no fence between the writes and the arrival counter).
extern "C" __global__ void counted_before_the_fence(const float *x, volatile float *partial, unsigned *done,
                                                    float *total) {
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = x[blockIdx.x * blockDim.x];  // FAULT: global-race partial
  const bool last = atomicAdd(done, 1u) == gridDim.x - 1;
  __threadfence();
  if (!last) return;
  float sum = 0.0f;
  for (int b = 0; b < gridDim.x; ++b) sum += partial[b];  // OR
  *total = sum;
}
