// out [n] = x [n] squared; one thread a block prints one line, and the promise about n holds.
extern "C" __global__ void right_few_lines_printed(const float *x, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(n <= gridDim.x * blockDim.x);
  if (i < n) out[i] = x[i] * x[i];
  if (threadIdx.x == 0 && i < n) printf("block %d begins with %g\n", blockIdx.x, out[i]);
}
