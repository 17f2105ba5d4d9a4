// softmax_of_masked_row, put right: a row of nothing but minus infinity becomes zeros. No NaN is ever written.
extern "C" __global__ void right_softmax_of_masked_row(const float *x, float *out, int columns) {
  const int lane = threadIdx.x;
  const float *row = x + blockIdx.x * columns;
  float largest = __int_as_float(0xff800000);
  for (int c = lane; c < columns; c += 32) largest = fmaxf(largest, row[c]);
  for (int away = 16; away > 0; away /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, away));
  const bool masked = largest == __int_as_float(0xff800000);
  float sum = 0.0f;
  for (int c = lane; c < columns && !masked; c += 32) sum += expf(row[c] - largest);
  for (int away = 16; away > 0; away /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, away);
  for (int c = lane; c < columns; c += 32)
    out[blockIdx.x * columns + c] = masked ? 0.0f : expf(row[c] - largest) / sum;
}
