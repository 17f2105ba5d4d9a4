// out [64] = sums over tiles of x [tiles, 64], each tile read backwards. One tile is loaded ahead, into the stage that
// nobody reads, so that one barrier a round is enough.
#define WIDTH 64
extern "C" __global__ void right_double_buffer(const float *x, float *out, int tiles) {
  __shared__ float stage[2][WIDTH];
  const int t = threadIdx.x;
  stage[0][t] = x[t];
  __syncthreads();
  float sum = 0.0f;
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) stage[(tile + 1) % 2][t] = x[(tile + 1) * WIDTH + t];
    sum += stage[tile % 2][WIDTH - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}
