// kept [count] = the positive elements of x [n], in any order, sorted by the host. Each warp takes its places with one
// atomic: its first positive lane adds for all of them.
extern "C" __global__ void right_one_atomic_a_warp(const float *x, float *kept, int *count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const bool keep = i < n && x[i] > 0.0f;
  const unsigned mask = __ballot_sync(0xffffffffu, keep);
  if (!keep) return;
  const int leader = __ffs(mask) - 1;
  int first = 0;
  if (lane == leader) first = atomicAdd(count, __popc(mask));
  first = __shfl_sync(mask, first, leader);
  kept[first + __popc(mask & ((1u << lane) - 1))] = x[i];
}
