// counts [gridDim.x] = elements of each block out of n: min() of an int and an unsigned, as CUDA has it.
extern "C" __global__ void right_min_of_mixed_signs(int *counts, int n) {
  if (threadIdx.x == 0) counts[blockIdx.x] = min(static_cast<int>(blockDim.x), n - blockIdx.x * blockDim.x);
}
