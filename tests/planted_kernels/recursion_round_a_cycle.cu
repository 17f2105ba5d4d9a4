// depth [n] = steps from a node up to the root, whose parent is -1. A broken list has two nodes that are each other's
// parent.
__device__ __noinline__ int climb(const int *parent, int node) {  // OR
  if (parent[node] < 0) return 0;  // FAULT: stack-overflow
  return 1 + climb(parent, parent[node]);  // OR
}
extern "C" __global__ void recursion_round_a_cycle(const int *parent, int *depth, int n) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node < n) depth[node] = climb(parent, node);
}
