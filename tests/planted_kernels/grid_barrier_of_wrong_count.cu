// x [n] scaled, then a barrier for the whole grid, then sums [n] of neighbours. One thread a block arrives, but all
// wait for as many as there are threads. Compare ROCm/aiter#4007 (blocks spinning on a counter that never gets there).
extern "C" __global__ void grid_barrier_of_wrong_count(const float *x, float *sums, unsigned *arrived) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[i] = 2.0f * x[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1u);
    while (atomicAdd(arrived, 0u) < gridDim.x * blockDim.x) {  // FAULT: time-out
    }
  }
  __syncthreads();
  sums[i] += 1.0f;
}
