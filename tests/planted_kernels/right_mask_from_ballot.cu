// peaks [gridDim.x] = largest of x [n] in each warp. The lanes that have an element agree on a mask before they part,
// and the tail reads from lanes of the mask only.
extern "C" __global__ void right_mask_from_ballot(const float *x, float *peaks, int n) {
  const int i = blockIdx.x * 32 + threadIdx.x, lane = threadIdx.x;
  const unsigned mask = __ballot_sync(0xffffffffu, i < n);
  if (i >= n) return;
  const int count = __popc(mask);
  float largest = x[i];
  for (int away = 16; away > 0; away /= 2) {
    const float other = __shfl_sync(mask, largest, lane + away < count ? lane + away : lane);
    largest = fmaxf(largest, other);
  }
  if (lane == 0) peaks[blockIdx.x] = largest;
}
