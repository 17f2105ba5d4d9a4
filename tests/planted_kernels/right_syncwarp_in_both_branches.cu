// out [n]: the halves of a warp exchange values through shared memory, each in its own branch. __syncwarp() wants the
// same mask of all its lanes, not the same line.
extern "C" __global__ void right_syncwarp_in_both_branches(const float *x, float *out) {
  __shared__ float value[32];
  const int lane = threadIdx.x, i = blockIdx.x * 32 + lane;
  if (lane < 16) {
    value[lane] = x[i];
    __syncwarp();
    out[i] = value[31 - lane];
  } else {
    value[lane] = -x[i];
    __syncwarp();
    out[i] = value[31 - lane];
  }
}
