// x [n] *= scale in place, the whole grid's threads as the step: each element belongs to one thread.
extern "C" __global__ void right_grid_stride_in_place(float *x, float scale, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= scale;
}
