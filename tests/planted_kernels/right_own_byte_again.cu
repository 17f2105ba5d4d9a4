// steps [n] = how often each byte of x [n] can be halved. Each thread counts in its own byte of shared memory and reads
// it back, round by round with its warp; its neighbours' bytes lie in the same word, and nobody needs a barrier.
extern "C" __global__ void right_own_byte_again(const unsigned char *x, unsigned char *steps, int n) {
  __shared__ unsigned char count[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  unsigned value = i < n ? x[i] : 0;
  count[threadIdx.x] = 0;
  while (__any_sync(0xffffffffu, value > 1)) {
    if (value > 1) count[threadIdx.x]++;
    value /= 2;
  }
  if (i < n) steps[i] = count[threadIdx.x];
}
