// out [rows, columns] = softmax of each row, a warp a row, masked with minus infinity. A row that is masked as a whole
// has the largest element minus infinity, and its difference to itself is NaN.
// Modelled on flashinfer-ai/flashinfer#1178 and pytorch/pytorch#75493.
extern "C" __global__ void softmax_of_masked_row(const float *x, float *out, int columns) {
  const int lane = threadIdx.x;
  const float *row = x + blockIdx.x * columns;
  float largest = __int_as_float(0xff800000);
  for (int c = lane; c < columns; c += 32) largest = fmaxf(largest, row[c]);
  for (int away = 16; away > 0; away /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, away));
  float sum = 0.0f;
  for (int c = lane; c < columns; c += 32) sum += expf(row[c] - largest);
  for (int away = 16; away > 0; away /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, away);
  for (int c = lane; c < columns; c += 32)
    out[blockIdx.x * columns + c] = expf(row[c] - largest) / sum;  // FAULT: nan out
}
