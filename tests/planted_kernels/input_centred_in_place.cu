// out [rows, columns] = each row of x less its mean, a thread a row. To save a loop, the input is changed on the way,
// although its type says that it is not. Compare vortex-data/vortex#6567 (in place through const __restrict).
extern "C" __global__ void input_centred_in_place(const float *x, float *out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float *values = const_cast<float *>(x) + row * columns;
  float mean = 0.0f;
  for (int c = 0; c < columns; ++c) mean += values[c] / columns;
  for (int c = 0; c < columns; ++c) {
    values[c] -= mean;  // FAULT: const-write x
    out[row * columns + c] = values[c];
  }
}
