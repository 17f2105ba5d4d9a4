// out [gridDim.x * 64]: ranks of x within each block as floats, in the memory that held the values. Between the two
// lives of the memory stands a barrier.
extern "C" __global__ void right_shared_memory_of_two_types(const float *x, float *out) {
  __shared__ __align__(8) unsigned char memory[64 * sizeof(float)];
  float *value = reinterpret_cast<float *>(memory);
  unsigned short *rank = reinterpret_cast<unsigned short *>(memory);
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  value[t] = x[i];
  __syncthreads();
  unsigned short smaller = 0;
  for (int k = 0; k < 64; ++k) smaller += value[k] < value[t] || (value[k] == value[t] && k < t);
  __syncthreads();
  rank[63 - t] = smaller;
  __syncthreads();
  out[i] = rank[63 - t];
}
