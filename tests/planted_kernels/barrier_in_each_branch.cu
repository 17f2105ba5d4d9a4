// out [128] = x [128], low half and high half exchanged. Both branches have a barrier, but not the same one: all
// threads of a block must come to one and the same. Compare EnzymeAD/Enzyme-JAX#2866.
extern "C" __global__ void barrier_in_each_branch(const float *x, float *out) {
  __shared__ float low[64], high[64];
  const int t = threadIdx.x;
  if (t < 64) {
    low[t] = x[t];
    __syncthreads();  // FAULT: barrier-divergence
    out[t] = high[t];
  } else {
    high[t - 64] = x[t];
    __syncthreads();  // OR
    out[t] = low[t - 64];
  }
}
