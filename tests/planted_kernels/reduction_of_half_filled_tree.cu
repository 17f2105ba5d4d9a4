// dots [gridDim.x] = a dot product's part of each block. Threads behind the end put nothing into the tree, not even a
// zero, and the tree adds their entries. Modelled on modular/mojo-gpu-puzzles#53 and lattice/quda#276.
#define THREADS 64
extern "C" __global__ void reduction_of_half_filled_tree(const float *a, const float *b, float *dots, int n) {
  __shared__ float tree[THREADS];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) tree[threadIdx.x] = a[i] * b[i];
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      tree[threadIdx.x] += tree[threadIdx.x + half];  // FAULT: uninitialised-shared tree
    __syncthreads();
  }
  if (threadIdx.x == 0) dots[blockIdx.x] = tree[0];
}
