// out [gridDim.x * 128] = running sums within each block. Each step reads and writes one array between two barriers.
// Modelled on ORNL/HeCBench#255 (morphology, twoWayScan) and wykvictor/cs344-cuda-udacity#1.
#define THREADS 128
extern "C" __global__ void scan_in_place(const float *x, float *out) {
  __shared__ float run[THREADS];
  const int i = blockIdx.x * THREADS + threadIdx.x, t = threadIdx.x;
  run[t] = x[i];
  __syncthreads();
  for (int away = 1; away < THREADS; away *= 2) {
    if (t >= away)
      run[t] += run[t - away];  // FAULT: shared-race run
    __syncthreads();
  }
  out[i] = run[t];
}
