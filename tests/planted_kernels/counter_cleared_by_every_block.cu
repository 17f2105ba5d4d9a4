// kept [1] = how many of x [n] are positive. Every block clears the counter first: the same zero, but it may wipe out
// what another block has counted. Modelled on apt-sim/AdePT#674 (SlotManager::Clear).
extern "C" __global__ void counter_cleared_by_every_block(const float *x, int *kept, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    *kept = 0;  // FAULT: global-race kept
  __syncthreads();
  if (i < n && x[i] > 0.0f) atomicAdd(kept, 1);  // OR
}
