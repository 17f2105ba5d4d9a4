// best [1] = value and place of the smallest of x [n] >= 0 in one 64-bit word: first in shared, then in global memory.
extern "C" __global__ void right_smallest_with_its_place(const float *x, unsigned long long *best, int n) {
  __shared__ unsigned long long smallest;
  if (threadIdx.x == 0) smallest = ~0ull;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicMin(&smallest, static_cast<unsigned long long>(__float_as_uint(x[i])) << 32 | static_cast<unsigned>(i));
  __syncthreads();
  if (threadIdx.x == 0) atomicMin(best, smallest);
}
