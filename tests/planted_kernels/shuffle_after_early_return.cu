// peaks [gridDim.x] = largest of x [n] in each warp. Lanes behind the end have returned, and a lane at the end reads
// from them. NVIDIA's guide: a value from an inactive lane is undefined. Compare NVIDIA/cccl#6429.
extern "C" __global__ void shuffle_after_early_return(const float *x, float *peaks, int n) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  if (i >= n) return;
  float largest = x[i];
  for (int away = 16; away > 0; away /= 2)
    largest = fmaxf(largest, __shfl_down_sync(0xffffffffu, largest, away));  // FAULT: warp-divergence
  if (threadIdx.x == 0) peaks[blockIdx.x] = largest;
}
