// flags [n] = whether x [n] is above the limit; a counter of the module, not of the arguments, says how many. The
// counter is a plain variable that all threads raise.
__device__ int device_hits;
extern "C" __global__ void device_counter_without_atomics(const float *x, int *flags, float limit, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  flags[i] = x[i] > limit;
  if (x[i] > limit)
    device_hits++;  // FAULT: global-race device_hits
}
