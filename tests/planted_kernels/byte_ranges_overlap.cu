// mask [n]: each block marks its 50 bytes and, by mistake, the last byte of the block before. The seam lies within a
// 4-byte word that both blocks write, so whoever looks at whole words only must not be led astray.
extern "C" __global__ void byte_ranges_overlap(const float *x, unsigned char *mask, int n) {
  const int i = blockIdx.x * 50 + threadIdx.x - 1;
  if (threadIdx.x > 50 || i < 0 || i >= n) return;
  mask[i] = x[i] > 0.0f;  // FAULT: global-race mask
}
