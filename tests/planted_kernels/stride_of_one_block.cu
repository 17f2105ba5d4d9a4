// x [n] *= scale in place. The loop steps by one block, not by the whole grid: all blocks but the first repeat the work
// of the ones before. Compare taichi-dev/taichi#1542, where the same step was asked about in review.
extern "C" __global__ void stride_of_one_block(float *x, float scale, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
    x[i] *= scale;  // FAULT: global-race x
}
