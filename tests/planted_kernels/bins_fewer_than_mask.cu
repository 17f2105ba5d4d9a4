// counts [32] of the bytes of x [n]: 32 bins, but the mask lets through 64 values. Modelled on ORNL/HeCBench#83 (tpacf:
// a histogram of 32 bins, indexed with six bits).
#define BINS 32
extern "C" __global__ void bins_fewer_than_mask(const unsigned char *x, unsigned *counts, int n) {
  __shared__ unsigned bins[BINS];
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) bins[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[(x[i] >> 2) & 63], 1u);  // FAULT: shared-out-of-bounds bins
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&counts[b], bins[b]);
}
