// gradient [pixels] += the gradient of each region at the pixel that won, atomically.
extern "C" __global__ void right_scatter_add(const int *winner, const float *out_gradient, float *gradient,
                                             int regions) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < regions && winner[i] >= 0) atomicAdd(&gradient[winner[i]], out_gradient[i]);
}
