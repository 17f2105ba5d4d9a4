// queue [gridDim.x * blockDim.x] moves up by one within each block's part. Threads of one block need a barrier for
// global memory, too: between all reads and all writes.
extern "C" __global__ void shifted_within_block(float *queue) {
  float *part = queue + blockIdx.x * blockDim.x;
  const int t = threadIdx.x;
  const float next = part[(t + 1) % blockDim.x];  // FAULT: global-race queue
  part[t] = next;  // OR
}
