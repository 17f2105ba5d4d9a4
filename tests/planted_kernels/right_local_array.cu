// out [n] = median of five neighbours of x [n + 4], sorted in an array of the thread's own.
extern "C" __global__ void right_local_array(const float *x, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float window[5];
  for (int k = 0; k < 5; ++k) window[k] = x[i + k];
  for (int k = 1; k < 5; ++k) {
    const float value = window[k];
    int at = k;
    while (at > 0 && window[at - 1] > value) window[at] = window[at - 1], --at;
    window[at] = value;
  }
  out[i] = window[2];
}
