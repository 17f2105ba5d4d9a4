// counts [bins] of the labels x [n]. The bins are zeroed, but nobody waits for that before the counting begins; a
// thread may then also count into a bin that nobody has written. Modelled on alicevision/popsift#82 (memory needed to
// be initialised prior to atomicAdd).
extern "C" __global__ void bins_zeroed_without_barrier(const int *x, int *counts, int n, int bins) {
  extern __shared__ int local[];
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    local[b] = 0;  // FAULT: shared-race local
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[x[i]], 1);  // OR  // ALSO: uninitialised-shared
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&counts[b], local[b]);
}
