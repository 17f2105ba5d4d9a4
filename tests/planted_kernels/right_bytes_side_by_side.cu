// out [n] = bytes of x [n] inverted, in blocks of 50 threads: four threads, and at the seams two blocks, write bytes of
// one 4-byte word. Bytes are memory locations of their own.
extern "C" __global__ void right_bytes_side_by_side(const unsigned char *x, unsigned char *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 255 - x[i];
}
