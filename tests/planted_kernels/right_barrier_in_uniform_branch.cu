// out [n] = x [n], every second block's part turned around. The barrier stands in a branch that all threads of a block
// take, or none.
extern "C" __global__ void right_barrier_in_uniform_branch(const float *x, float *out) {
  __shared__ float part[64];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  float value = x[i];
  if (blockIdx.x % 2 == 1) {
    part[t] = value;
    __syncthreads();
    value = part[63 - t];
  }
  out[i] = value;
}
