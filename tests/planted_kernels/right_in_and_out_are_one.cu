// out [n] = relu of x [n], where the host passes one array as both: each thread reads its element before it writes it.
extern "C" __global__ void right_in_and_out_are_one(const float *x, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(x[i], 0.0f);
}
