// out [n]: each round of the block turns 64 elements of x [n] around. All threads do all rounds, also where they have
// no element, so that the barriers meet.
#define THREADS 64
extern "C" __global__ void right_loop_rounded_up(const float *x, float *out, int n) {
  __shared__ float part[THREADS];
  for (int start = blockIdx.x * THREADS; start < n; start += gridDim.x * THREADS) {
    const int count = min(THREADS, n - start), t = threadIdx.x;
    if (t < count) part[t] = x[start + t];
    __syncthreads();
    if (t < count) out[start + t] = part[count - 1 - t];
    __syncthreads();
  }
}
