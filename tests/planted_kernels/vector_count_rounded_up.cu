// out [n] = relu of x [n], four elements a thread. The number of vectors is rounded up, so that the last one reaches
// over the end of the arrays when n is no multiple of four.
extern "C" __global__ void vector_count_rounded_up(const float *x, float *out, int n) {
  const int vectors = (n + 3) / 4;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += gridDim.x * blockDim.x) {
    float4 v = reinterpret_cast<const float4 *>(x)[i];  // FAULT: global-out-of-bounds x
    v.x = fmaxf(v.x, 0.0f), v.y = fmaxf(v.y, 0.0f), v.z = fmaxf(v.z, 0.0f), v.w = fmaxf(v.w, 0.0f);
    reinterpret_cast<float4 *>(out)[i] = v;
  }
}
