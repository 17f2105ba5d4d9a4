// means [segments] of x between start [segments + 1]: an empty segment is 0 divided by 0.
extern "C" __global__ void mean_of_empty_segment(const int *start, const float *x, float *means, int segments) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= segments) return;
  float sum = 0.0f;
  for (int i = start[s]; i < start[s + 1]; ++i) sum += x[i];
  means[s] = sum / (start[s + 1] - start[s]);  // FAULT: nan means
}
