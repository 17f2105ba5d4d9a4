// out [n, 16] = rows of x [n, 16] turned around, through a tile whose rows have one more element against bank
// conflicts. The rows are then read four elements at a time, and a row of 17 floats is no multiple of 16 bytes.
#define SIDE 16
extern "C" __global__ void padded_rows_as_vectors(const float *x, float *out) {
  __shared__ __align__(16) float tile[SIDE][SIDE + 1];
  const int first = blockIdx.x * SIDE * SIDE, row = threadIdx.y;
  tile[row][SIDE - 1 - threadIdx.x] = x[first + row * SIDE + threadIdx.x];
  __syncthreads();
  if (threadIdx.x >= SIDE / 4) return;
  const float4 v = reinterpret_cast<const float4 *>(tile[row])[threadIdx.x];  // FAULT: misaligned tile
  reinterpret_cast<float4 *>(out + first + row * SIDE)[threadIdx.x] = v;
}
