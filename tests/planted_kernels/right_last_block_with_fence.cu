// total [1] = sum of x [n]. The block that finishes last adds up the partial sums of all: written, fenced, counted, and
// read behind a fence. See the CUDA C++ Programming Guide, Memory Fence Functions.
#define THREADS 64
extern "C" __global__ void right_last_block_with_fence(const float *x, volatile float *partial, unsigned *done,
                                                       float *total, int n) {
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
    partial[blockIdx.x] = tree[0];
    __threadfence();
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  __threadfence();
  sum = 0.0f;
  for (int b = 0; b < gridDim.x; ++b) sum += partial[b];
  *total = sum;
}
