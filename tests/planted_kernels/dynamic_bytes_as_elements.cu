// out [n] = x [n] with each block's part turned around, through dynamic shared memory. The kernel is right; its launch
// asks for blockDim.x bytes where blockDim.x floats are needed.
extern "C" __global__ void dynamic_bytes_as_elements(const float *x, float *out, int n) {
  extern __shared__ float part[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0.0f;  // FAULT: shared-out-of-bounds part
  __syncthreads();
  if (i < n) out[i] = part[blockDim.x - 1 - threadIdx.x];
}
