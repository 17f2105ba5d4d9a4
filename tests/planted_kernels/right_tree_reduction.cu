// sums [gridDim.x]: a tree over shared memory with a barrier in each round; the last partial block adds zeros.
#define THREADS 128
extern "C" __global__ void right_tree_reduction(const float *x, float *sums, int n) {
  __shared__ float tree[THREADS];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  tree[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) tree[threadIdx.x] += tree[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = tree[0];
}
