// sums [columns] = column sums of x [rows, columns], a tile of 32 columns a block. The last guard asks whether the
// position lies in the matrix, not whether it lies in the sums. Modelled on deepspeedai/DeepSpeed#804.
#define TILE 32
extern "C" __global__ void column_sum_guard_of_matrix(const float *x, float *sums, int rows, int columns) {
  __shared__ float tile[TILE][TILE + 1];
  const int column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int row = threadIdx.y; row < rows && column < columns; row += TILE) sum += x[row * columns + column];
  tile[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  sum = tile[threadIdx.x][threadIdx.y];
  for (int away = TILE / 2; away > 0; away /= 2) sum += __shfl_down_sync(0xffffffffu, sum, away);
  const int position = blockIdx.x * TILE + threadIdx.y;
  if (threadIdx.x == 0 && position < rows * columns)
    sums[position] = sum;  // FAULT: global-out-of-bounds sums
}
