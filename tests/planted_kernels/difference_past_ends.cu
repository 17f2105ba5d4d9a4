// slope [n] = central differences of x [n]. The guard is right for slope, but the neighbours of the first and of the
// last element do not exist. Modelled on ORNL/HeCBench#112 (boxfilter: a read one element behind the allocation).
extern "C" __global__ void difference_past_ends(const float *x, float *slope, float step, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float right = x[i + 1], left = x[i - 1];  // FAULT: global-out-of-bounds x
  slope[i] = (right - left) / (2.0f * step);
}
