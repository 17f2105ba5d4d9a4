// total [1] = sum over the blocks' first elements of x. The fence stands in front of the write that it should order
// before the count. See the CUDA C++ Programming Guide, Memory Fence Functions.
extern "C" __global__ void written_behind_the_fence(const float *x, volatile float *partial, unsigned *done,
                                                    float *total) {
  if (threadIdx.x != 0) return;
  const float value = x[blockIdx.x * blockDim.x];
  __threadfence();
  partial[blockIdx.x] = value;  // FAULT: global-race partial
  const bool last = atomicAdd(done, 1u) == gridDim.x - 1;
  if (!last) return;
  __threadfence();
  float sum = 0.0f;
  for (int b = 0; b < gridDim.x; ++b) sum += partial[b];  // OR
  *total = sum;
}
