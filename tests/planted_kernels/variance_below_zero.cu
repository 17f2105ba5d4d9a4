// out [rows, columns] = rows normalised. The variance as mean of squares less square of mean comes out below zero for
// numbers far from zero and close together. Modelled on NVIDIA/trt-samples-for-hackathon-cn#88 (256, and 255 once).
extern "C" __global__ void variance_below_zero(const float *x, float *out, int columns) {
  const int lane = threadIdx.x;
  const float *row = x + blockIdx.x * columns;
  float sum = 0.0f, squares = 0.0f;
  for (int c = lane; c < columns; c += 32) sum += row[c], squares += row[c] * row[c];
  for (int away = 16; away > 0; away /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, away);
    squares += __shfl_xor_sync(0xffffffffu, squares, away);
  }
  const float mean = sum / columns, variance = __fsub_rn(squares / columns, __fmul_rn(mean, mean));
  const float scale = rsqrtf(variance);
  for (int c = lane; c < columns; c += 32)
    out[blockIdx.x * columns + c] = (row[c] - mean) * scale;  // FAULT: nan out
}
