// out [gridDim.x * 128] = running sums within each block, from one buffer to the other and back.
#define THREADS 128
extern "C" __global__ void right_scan_between_two_buffers(const float *x, float *out) {
  __shared__ float run[2][THREADS];
  const int i = blockIdx.x * THREADS + threadIdx.x, t = threadIdx.x;
  int now = 0;
  run[now][t] = x[i];
  __syncthreads();
  for (int away = 1; away < THREADS; away *= 2) {
    run[1 - now][t] = t >= away ? run[now][t] + run[now][t - away] : run[now][t];
    now = 1 - now;
    __syncthreads();
  }
  out[i] = run[now][t];
}
