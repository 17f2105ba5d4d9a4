// out [columns, rows] = x [rows, columns] transposed through a padded tile. Threads outside of the matrix still come to
// the barrier, and nobody reads an entry of the tile that they have left out.
#define TILE 16
extern "C" __global__ void right_transposed_tile(const float *x, float *out, int rows, int columns) {
  __shared__ float tile[TILE][TILE + 1];
  int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = x[row * columns + column];
  __syncthreads();
  row = blockIdx.x * TILE + threadIdx.y, column = blockIdx.y * TILE + threadIdx.x;
  if (row < columns && column < rows) out[row * rows + column] = tile[threadIdx.x][threadIdx.y];
}
