// out [128] = totals of the low and of the high half of x [128]. Both halves call one function with a barrier in it,
// but from two branches: the condition differs within the block, which the CUDA C++ Programming Guide rules out for
// __syncthreads(), and once the calls are inlined there are two barriers.
__device__ float total(float value, float *scratch, int t) {
  scratch[t] = value;
  __syncthreads();  // FAULT: barrier-divergence
  float sum = 0.0f;
  for (int k = 0; k < 64; ++k) sum += scratch[k];
  return sum;
}
extern "C" __global__ void barrier_through_two_calls(const float *x, float *out) {
  __shared__ float low[64], high[64];
  const int t = threadIdx.x;
  float sum;
  if (t < 64) sum = total(x[t], low, t);
  else sum = 2.0f * total(x[t], high, t - 64);
  out[t] = sum;
}
