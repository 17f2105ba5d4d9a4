// total [1] = sum of x [n]. The block that finishes last adds up the partial sums of all, but the count may overtake
// the sum it speaks for. Modelled on NVIDIA/Fuser#2391 and pytorch/pytorch#128455 (writes that were not yet visible).
#define THREADS 64
extern "C" __global__ void last_block_without_fence(const float *x, float *partial, unsigned *done, float *total,
                                                    int n) {
  __shared__ float tree[THREADS];
  __shared__ bool last;
  float sum = 0.0f;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) sum += x[i];
  tree[threadIdx.x] = sum;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) tree[threadIdx.x] += tree[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = tree[0];  // FAULT: global-race partial
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  sum = 0.0f;
  for (int b = 0; b < gridDim.x; ++b) sum += partial[b];  // OR
  *total = sum;
}
