// y [n] += alpha x [n], one thread an element. Nothing keeps the threads behind the end of the last block out.
// Modelled on numba/numba#7284, a kernel launched in whole blocks that never looks at the length.
extern "C" __global__ void bounds_missing(float alpha, const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float scaled = alpha * x[i];  // FAULT: global-out-of-bounds x
  y[i] += scaled;
}
