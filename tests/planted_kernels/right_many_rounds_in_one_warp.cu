// out [32] = x [32] turned round a ring `rounds` times, one warp that never meets a barrier of the block: 2
// __syncwarp() a round, more than 65,536 of them in all.
extern "C" __global__ void right_many_rounds_in_one_warp(const float *x, float *out, int rounds) {
  __shared__ float ring[32];
  const int lane = threadIdx.x;
  ring[lane] = x[lane];
  __syncwarp();
  for (int round = 0; round < rounds; ++round) {
    const float next = ring[(lane + 1) % 32];
    __syncwarp();
    ring[lane] = next;
    __syncwarp();
  }
  out[lane] = ring[lane];
}
