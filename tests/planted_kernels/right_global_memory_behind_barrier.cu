// queue [gridDim.x * blockDim.x] moves up by one within each block's part: read, barrier, write. __syncthreads() orders
// global memory among the threads of a block, too.
extern "C" __global__ void right_global_memory_behind_barrier(float *queue) {
  float *part = queue + blockIdx.x * blockDim.x;
  const int t = threadIdx.x;
  const float next = part[(t + 1) % blockDim.x];
  __syncthreads();
  part[t] = next;
  __syncthreads();
  if (t == 0) part[0] += part[blockDim.x - 1];
}
