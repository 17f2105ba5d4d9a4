// out [n] = sums of seven elements of x [n + 6], through a tile. Only threads with an element of their own fill the
// tile, the first three of them also its ends; in the last, partial block the right end stays as it was.
// Modelled on dlsys-course/examples#1 (windowSumKernel).
#define THREADS 64
#define RADIUS 3
extern "C" __global__ void halo_of_last_block_missing(const float *x, float *out, int n) {
  __shared__ float tile[THREADS + 2 * RADIUS];
  const int i = blockIdx.x * THREADS + threadIdx.x, k = threadIdx.x + RADIUS;
  if (i < n) {
    tile[k] = x[i + RADIUS];
    if (threadIdx.x < RADIUS) {
      tile[k - RADIUS] = x[i];
      tile[k + THREADS] = i + RADIUS + THREADS < n + 2 * RADIUS ? x[i + RADIUS + THREADS] : 0.0f;
    }
  }
  __syncthreads();
  if (i >= n) return;
  float sum = 0.0f;
  for (int away = -RADIUS; away <= RADIUS; ++away)
    sum += tile[k + away];  // FAULT: uninitialised-shared tile
  out[i] = sum;
}
