// y [rows] = a [rows, columns] x [columns], one row at a time; thread 0 adds up. Nobody waits for it before the next
// row's products go into the same scratch. Modelled on NVIDIA/cuml#6578 (_block_gemv).
#define THREADS 64
extern "C" __global__ void row_scratch_overwritten(const float *a, const float *x, float *y, int rows, int columns) {
  __shared__ float scratch[THREADS];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float sum = 0.0f;
    for (int column = threadIdx.x; column < columns; column += THREADS) sum += a[row * columns + column] * x[column];
    scratch[threadIdx.x] = sum;  // FAULT: shared-race scratch
    __syncthreads();
    if (threadIdx.x == 0) {
      float total = 0.0f;
      for (int k = 0; k < THREADS; ++k) total += scratch[k];  // OR
      y[row] = total;
    }
  }
}
