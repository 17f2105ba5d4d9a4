// peak [planes] = largest element of each plane of x [planes, area]. The pointer is moved to the plane and never moved
// back, so the second round of the loop begins where the first one ended. Modelled on BVLC/caffe#2493.
extern "C" __global__ void pointer_moved_in_loop(const float *x, float *peak, int planes, int area) {
  for (int plane = blockIdx.x * blockDim.x + threadIdx.x; plane < planes; plane += gridDim.x * blockDim.x) {
    x += plane * area;
    float largest = x[0];  // FAULT: global-out-of-bounds x
    for (int i = 1; i < area; ++i) largest = fmaxf(largest, x[i]);  // OR
    peak[plane] = largest;
  }
}
