// out [n] = the 32-bit numbers that begin at byte 5 of a record of 9 bytes, read where they lie.
// Compare ggml-org/llama.cpp#18799 (a copy through a wider type than the address allows).
extern "C" __global__ void word_at_odd_byte(const unsigned char *records, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned char *field = records + 9 * i + 5;
  out[i] = *reinterpret_cast<const int *>(field);  // FAULT: misaligned records
}
