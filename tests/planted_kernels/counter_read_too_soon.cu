// above [gridDim.x] = whether most elements of a block's part of x are positive. The counter is raised atomically, and
// then read as if all had counted.
extern "C" __global__ void counter_read_too_soon(const float *x, int *above) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (x[blockIdx.x * blockDim.x + threadIdx.x] > 0.0f)
    atomicAdd(&count, 1);  // FAULT: shared-race count
  if (threadIdx.x == 0)
    above[blockIdx.x] = 2 * count > blockDim.x;  // OR
}
