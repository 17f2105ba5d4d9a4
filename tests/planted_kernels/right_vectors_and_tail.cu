// out [n] = relu of x [n]: whole vectors of four, then what is left, one by one.
extern "C" __global__ void right_vectors_and_tail(const float *x, float *out, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  for (int i = thread; i < n / 4; i += threads) {
    float4 v = reinterpret_cast<const float4 *>(x)[i];
    v.x = fmaxf(v.x, 0.0f), v.y = fmaxf(v.y, 0.0f), v.z = fmaxf(v.z, 0.0f), v.w = fmaxf(v.w, 0.0f);
    reinterpret_cast<float4 *>(out)[i] = v;
  }
  for (int i = n / 4 * 4 + thread; i < n; i += threads) out[i] = fmaxf(x[i], 0.0f);
}
