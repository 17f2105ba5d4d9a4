// peak [places] = largest of the features that fall on a place. Between comparing and writing, another thread may have
// written a larger one. Modelled on traveller59/spconv#304 (maxPoolFwdGenericBlockKernel).
extern "C" __global__ void largest_compared_then_written(const float *feature, const int *place, float *peak, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float value = feature[i];
    if (value > peak[place[i]])      // FAULT: global-race peak
      peak[place[i]] = value;        // OR
  }
}
