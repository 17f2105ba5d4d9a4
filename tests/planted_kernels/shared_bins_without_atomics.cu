// counts [bins] of the labels x [n], first in shared memory. Two threads that count one label at a time lose one.
// The first mistake of everybody who turns a serial histogram into a kernel.
extern "C" __global__ void shared_bins_without_atomics(const int *x, int *counts, int n, int bins) {
  extern __shared__ int local[];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    local[x[i]]++;  // FAULT: shared-race local
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&counts[b], local[b]);
}
