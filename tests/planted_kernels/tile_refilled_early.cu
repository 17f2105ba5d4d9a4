// c [m, n] = a [m, k] b [k, n] in tiles of 16. Fast threads fill the next tiles while slow ones still multiply.
// Modelled on tile-ai/tilelang#2613 (a missing barrier at the end of the loop) and sgl-project/sglang#37288.
#define TILE 16
extern "C" __global__ void tile_refilled_early(const float *a, const float *b, float *c, int m, int k, int n) {
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int start = 0; start < k; start += TILE) {
    const int x = start + threadIdx.x, y = start + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < m && x < k ? a[row * k + x] : 0.0f;       // FAULT: shared-race left right
    right[threadIdx.y][threadIdx.x] = y < k && column < n ? b[y * n + column] : 0.0f;  // OR
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];  // OR
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
