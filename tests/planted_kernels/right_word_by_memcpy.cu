// word_at_odd_byte, put right: memcpy asks nothing of an address.
extern "C" __global__ void right_word_by_memcpy(const unsigned char *records, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int word;
  memcpy(&word, records + 9 * i + 5, sizeof word);
  out[i] = word;
}
