// out [n] = x [n + 4] filtered with weights in constant memory. A counter of the module is raised atomically; block by
// block, nobody reads it.
__constant__ float weight[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
__device__ int device_outputs;
extern "C" __global__ void right_variables_of_the_module(const float *x, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < 5; ++k) sum += weight[k] * x[i + k];
  out[i] = sum;
  atomicAdd(&device_outputs, 1);
}
