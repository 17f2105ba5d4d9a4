// out [64] = x [64] with neighbours exchanged. The barrier stands inside the branch of the even threads.
// Modelled on tile-ai/tilelang#1026 (a generated barrier in a divergent branch hangs the GPU).
extern "C" __global__ void barrier_for_even_threads(const float *x, float *out) {
  __shared__ float pair[64];
  const int t = threadIdx.x;
  pair[t] = x[t];
  if (t % 2 == 0) {
    __syncthreads();  // FAULT: barrier-divergence
    out[t] = pair[t + 1];
    out[t + 1] = pair[t];
  }
}
