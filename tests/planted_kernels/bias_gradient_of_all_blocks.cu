// bias_gradient [columns] += column sums of g [rows, columns]; each block has some rows, and all blocks add to the same
// sums. Compare asappresearch/sru#52 (a bias gradient that must be accumulated with atomicAdd).
extern "C" __global__ void bias_gradient_of_all_blocks(const float *g, float *bias_gradient, int rows, int columns) {
  const int column = threadIdx.x;
  float sum = 0.0f;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) sum += g[row * columns + column];
  bias_gradient[column] += sum;  // FAULT: global-race bias_gradient
}
