// counts [bins] of the labels x [n]: shared memory is not zero when a block begins. A global array that the host has
// cleared was moved to shared memory, and its clearing was left behind.
extern "C" __global__ void bins_never_zeroed(const int *x, int *counts, int n, int bins) {
  extern __shared__ int local[];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[x[i]], 1);  // FAULT: uninitialised-shared local
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    atomicAdd(&counts[b], local[b]);  // OR
}
