// sums [gridDim.x]: the last six steps of the tree run in one warp and rely on its lanes going in step, which no card
// since Volta promises. Modelled on ORNL/HeCBench#91 (lsqt, warp_reduce with volatile) and numba/numba#2589.
#define THREADS 64
__device__ void warp_reduce(volatile float *s, int t) {
  s[t] += s[t + 32];  // FAULT: shared-race tree
  s[t] += s[t + 16];  // OR
  s[t] += s[t + 8];   // OR
  s[t] += s[t + 4];   // OR
  s[t] += s[t + 2];   // OR
  s[t] += s[t + 1];   // OR
}
extern "C" __global__ void warp_tail_volatile(const float *x, float *sums, int n) {
  __shared__ float tree[THREADS];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  tree[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  if (threadIdx.x < 32) warp_reduce(tree, threadIdx.x);
  if (threadIdx.x == 0) sums[blockIdx.x] = tree[0];
}
