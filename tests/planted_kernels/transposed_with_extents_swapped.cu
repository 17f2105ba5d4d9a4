// out [columns, rows] = x [rows, columns] transposed through a tile. The guard of the second half still has the extents
// of the first, which only a matrix that is not square gives away.
#define TILE 16
extern "C" __global__ void transposed_with_extents_swapped(const float *x, float *out, int rows, int columns) {
  __shared__ float tile[TILE][TILE + 1];
  int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = x[row * columns + column];
  __syncthreads();
  row = blockIdx.x * TILE + threadIdx.y, column = blockIdx.y * TILE + threadIdx.x;
  if (column < columns)
    // What follows: entries of the tile that nobody filled, and places in out that are another block's.
    out[row * rows + column] =  // FAULT: global-out-of-bounds out  // ALSO: global-race  // ALSO: uninitialised-shared
        tile[threadIdx.x][threadIdx.y];  // OR  // ALSO: global-race  // ALSO: uninitialised-shared
}
