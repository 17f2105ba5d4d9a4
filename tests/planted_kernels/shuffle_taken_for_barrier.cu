// out [n] = x [n] turned around within each warp, plus the warp's sum. The shuffles bring the lanes together, but they
// move a register and order no memory. See the CUDA C++ Programming Guide, Warp Shuffle Functions: no memory barrier.
extern "C" __global__ void shuffle_taken_for_barrier(const float *x, float *out) {
  __shared__ float turned[32];
  const int lane = threadIdx.x, i = blockIdx.x * 32 + lane;
  float sum = x[i];
  turned[lane] = sum;  // FAULT: shared-race turned
  for (int away = 16; away > 0; away /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, away);
  out[i] = sum + turned[31 - lane];  // OR
}
