// sums [gridDim.x] of the products a b [n]: two extern arrays are two names for one piece of memory, so the second use
// waits for the first to end.
extern "C" __global__ void right_two_names_for_dynamic_memory(const int *a, const float *b, float *sums, int n) {
  extern __shared__ int as_int[];
  extern __shared__ float as_float[];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  as_int[t] = i < n ? a[i] : 0;
  __syncthreads();
  const float product = i < n ? as_int[t] * b[i] : 0.0f;
  __syncthreads();
  as_float[blockDim.x - 1 - t] = product;
  __syncthreads();
  if (t != 0) return;
  float sum = 0.0f;
  for (int k = 0; k < blockDim.x; ++k) sum += as_float[k];
  sums[blockIdx.x] = sum;
}
