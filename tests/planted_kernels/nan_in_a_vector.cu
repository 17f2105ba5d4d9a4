// out [n] = square roots of x [n], four at a time. One negative number, third in its vector, makes a NaN.
extern "C" __global__ void nan_in_a_vector(const float *x, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  const float4 v = reinterpret_cast<const float4 *>(x)[i];
  reinterpret_cast<float4 *>(out)[i] =  // FAULT: nan out
      make_float4(sqrtf(v.x), sqrtf(v.y), sqrtf(v.z), sqrtf(v.w));  // OR
}
