// norm [rows] of x [rows, columns], a warp a row, in vectors of four. With 30 columns, every other row begins at an
// address that is no multiple of 16. Modelled on apache/mahout#1108 (odd-length samples, double2 and float2).
extern "C" __global__ void vector_load_of_odd_row(const float *x, float *norm, int rows, int columns) {
  const int row = blockIdx.x, lane = threadIdx.x;
  const float *values = x + row * columns;
  float sum = 0.0f;
  for (int i = lane; i < columns / 4; i += 32) {
    const float4 v = reinterpret_cast<const float4 *>(values)[i];  // FAULT: misaligned x
    sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  for (int i = columns / 4 * 4 + lane; i < columns; i += 32) sum += values[i] * values[i];
  for (int away = 16; away > 0; away /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, away);
  if (lane == 0) norm[row] = sqrtf(sum);
}
