// scratch [n] holds x [n] while each warp turns its part around: __syncwarp() orders global memory within a warp, too.
extern "C" __global__ void right_warp_exchange_in_global_memory(const float *x, float *scratch, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  scratch[i] = x[i];
  __syncwarp();
  out[i] = scratch[i - lane + 31 - lane];
  __syncwarp();
  scratch[i] = 0.0f;
}
