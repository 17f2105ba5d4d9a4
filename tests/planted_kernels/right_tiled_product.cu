// c [m, n] = a [m, k] b [k, n] in tiles of 16 with ragged edges: one barrier before multiplying, one before refilling.
#define TILE 16
extern "C" __global__ void right_tiled_product(const float *a, const float *b, float *c, int m, int k, int n) {
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int start = 0; start < k; start += TILE) {
    const int x = start + threadIdx.x, y = start + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < m && x < k ? a[row * k + x] : 0.0f;
    right[threadIdx.y][threadIdx.x] = y < k && column < n ? b[y * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
