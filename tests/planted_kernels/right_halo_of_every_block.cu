// out [n] = sums of seven elements of x [n + 6], through a tile that every thread of every block helps to fill.
#define THREADS 64
#define RADIUS 3
extern "C" __global__ void right_halo_of_every_block(const float *x, float *out, int n) {
  __shared__ float tile[THREADS + 2 * RADIUS];
  const int first = blockIdx.x * THREADS, i = first + threadIdx.x;
  for (int k = threadIdx.x; k < THREADS + 2 * RADIUS; k += THREADS)
    tile[k] = first + k < n + 2 * RADIUS ? x[first + k] : 0.0f;
  __syncthreads();
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k <= 2 * RADIUS; ++k) sum += tile[threadIdx.x + k];
  out[i] = sum;
}
