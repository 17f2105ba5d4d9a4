// out [n] = window sums of x [n], five elements wide, through a tile. The tile has room for the halo of one side.
// Compare dlsys-course/examples#1 (windowSumKernel), whose tile has room for both.
#define THREADS 64
#define RADIUS 2
extern "C" __global__ void halo_on_one_side_only(const float *x, float *out, int n) {
  __shared__ float tile[THREADS + RADIUS];
  const int first = blockIdx.x * THREADS - RADIUS;
  for (int k = threadIdx.x; k < THREADS + 2 * RADIUS; k += THREADS)
    tile[k] = first + k >= 0 && first + k < n ? x[first + k] : 0.0f;  // FAULT: shared-out-of-bounds tile
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k <= 2 * RADIUS; ++k) sum += tile[threadIdx.x + k];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) out[i] = sum;
}
