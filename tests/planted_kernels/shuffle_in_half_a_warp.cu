// out [32]: the low half of the warp adds up its values with a full mask, while the high half waits at the barrier
// behind the branch. See PaddlePaddle/Paddle#10332 (the mask is the set of threads that take part).
extern "C" __global__ void shuffle_in_half_a_warp(const float *x, float *out) {
  const int lane = threadIdx.x;
  float value = x[lane];
  if (lane < 16) {
    for (int away = 8; away > 0; away /= 2)
      value += __shfl_xor_sync(0xffffffffu, value, away);  // FAULT: warp-divergence
  }
  __syncthreads();
  out[lane] = value;
}
