// steps [32] = halvings until a lane's value is small. The lanes vote in the loop whether to go on, but a lane that is
// done has left it and waits for the shuffle behind.
extern "C" __global__ void vote_in_uneven_loop(const float *x, int *steps) {
  const int lane = threadIdx.x;
  float value = x[lane];
  int count = 0;
  while (value > 1.0f) {
    value *= 0.5f, ++count;
    if (!__any_sync(0xffffffffu, value > 1.0f)) break;  // FAULT: warp-divergence
  }
  steps[lane] = count - __shfl_sync(0xffffffffu, count, 0);  // OR
}
