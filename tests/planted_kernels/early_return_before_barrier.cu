// out [n] = x [n] less the mean of its block's part. Threads without an element go home before the barrier.
// Modelled on pytorch/FBGEMM#5857 (quantize_float_to_mx4_kernel).
#define THREADS 64
extern "C" __global__ void early_return_before_barrier(const float *x, float *out, int n) {
  __shared__ float part[THREADS];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  part[threadIdx.x] = x[i];
  __syncthreads();  // FAULT: barrier-divergence
  const int count = min(THREADS, n - static_cast<int>(blockIdx.x) * THREADS);
  float sum = 0.0f;
  for (int k = 0; k < count; ++k) sum += part[k];
  out[i] = x[i] - sum / count;
}
