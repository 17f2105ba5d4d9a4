// out [half, half] = means of 2 by 2 windows of x [side, side], half = side / 2 rounded up. With an odd side the last
// windows hang over the border and are not clipped. Compare BVLC/caffe's pooling, which takes the minimum with height.
extern "C" __global__ void pooling_window_unclipped(const float *x, float *out, int side, int half) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= half || column >= half) return;
  float sum = 0.0f;
  for (int dy = 0; dy < 2; ++dy)
    for (int dx = 0; dx < 2; ++dx)
      sum += x[(2 * row + dy) * side + 2 * column + dx];  // FAULT: global-out-of-bounds x
  out[row * half + column] = 0.25f * sum;
}
