// order [gridDim.x]: how many of a block's elements of x are above its mean. The counter is set by one thread, raised
// atomically by many and read by one, with a barrier at each change of hands.
extern "C" __global__ void right_shared_counter(const float *x, int *above, int per_block) {
  __shared__ int counter;
  __shared__ float mean;
  const float *part = x + blockIdx.x * per_block;
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    for (int i = 0; i < per_block; ++i) sum += part[i];
    mean = sum / per_block, counter = 0;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < per_block; i += blockDim.x)
    if (part[i] > mean) atomicAdd(&counter, 1);
  __syncthreads();
  if (threadIdx.x == 0) above[blockIdx.x] = counter;
}
