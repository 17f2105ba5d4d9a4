// gradient [pixels] += the gradient of each region, at the pixel that won. Two regions may have one winner.
// Modelled on deepsense-ai/roi-pooling#20 (why no atomic protection in backward?).
extern "C" __global__ void scatter_add_plain(const int *winner, const float *out_gradient, float *gradient,
                                             int regions) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= regions) return;
  const int pixel = winner[i];
  if (pixel >= 0)
    gradient[pixel] += out_gradient[i];  // FAULT: global-race gradient
}
