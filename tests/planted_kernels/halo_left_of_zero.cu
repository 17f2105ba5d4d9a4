// bend [n] = second differences of x [n] through a tile without a halo: thread 0 reads the element before the tile, the
// last one the element behind it. Modelled on myurtoglu/cudaforengineers#6 (elements -1 and size + 1).
#define THREADS 64
extern "C" __global__ void halo_left_of_zero(const float *x, float *bend, int n) {
  __shared__ float tile[THREADS];
  const int i = blockIdx.x * THREADS + threadIdx.x, k = threadIdx.x;
  tile[k] = i < n ? x[i] : 0.0f;
  __syncthreads();
  if (i > 0 && i < n - 1)
    bend[i] = tile[k - 1] - 2.0f * tile[k] + tile[k + 1];  // FAULT: shared-out-of-bounds tile
}
