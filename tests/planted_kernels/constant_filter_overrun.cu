// out [n] = x [n + 5] filtered with weights in constant memory. There are five weights, and the loop takes six.
__constant__ float weight[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
extern "C" __global__ void constant_filter_overrun(const float *x, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k <= 5; ++k)
    sum += weight[k] * x[i + k];  // FAULT: global-out-of-bounds weight
  out[i] = sum;
}
