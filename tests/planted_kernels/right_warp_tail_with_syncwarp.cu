// warp_tail_volatile, put right: within a warp, __syncwarp() orders what one lane writes before what another reads.
#define THREADS 64
__device__ void warp_reduce(float *s, int t) {
  float sum = s[t] + s[t + 32];
  for (int away = 16; away > 0; away /= 2) {
    __syncwarp();
    s[t] = sum;
    __syncwarp();
    sum += s[(t + away) % 32];
  }
  __syncwarp();
  s[t] = sum;
}
extern "C" __global__ void right_warp_tail_with_syncwarp(const float *x, float *sums, int n) {
  __shared__ float tree[THREADS];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  tree[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  if (threadIdx.x < 32) warp_reduce(tree, threadIdx.x);
  if (threadIdx.x == 0) sums[blockIdx.x] = tree[0];
}
