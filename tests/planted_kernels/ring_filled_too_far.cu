// out [64] = sums over tiles of x [tiles, 64], each tile read backwards. Two stages are filled ahead, and the next load
// goes into the stage that is just being read. Modelled on ROCm/aiter#4537 (a ring filled to its last slot).
#define WIDTH 64
#define STAGES 2
extern "C" __global__ void ring_filled_too_far(const float *x, float *out, int tiles) {
  __shared__ float ring[STAGES][WIDTH];
  const int t = threadIdx.x;
  for (int s = 0; s < STAGES; ++s) ring[s][t] = x[s * WIDTH + t];
  __syncthreads();
  float sum = 0.0f;
  for (int tile = 0; tile < tiles; ++tile) {
    sum += ring[tile % STAGES][WIDTH - 1 - t];  // FAULT: shared-race ring
    const int ahead = tile + STAGES;
    if (ahead < tiles) ring[ahead % STAGES][t] = x[ahead * WIDTH + t];  // OR
    __syncthreads();
  }
  out[t] = sum;
}
