// bucket [n] = keys [n] modulo a number of buckets that the host has computed as 0.
// Compare sonots/cumo#307 (a stride of 0 as a divisor).
extern "C" __global__ void remainder_by_zero_buckets(const unsigned *keys, unsigned *bucket, int n, int buckets) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    bucket[i] = (keys[i] ^ keys[i] >> 7) % buckets;  // FAULT: crash
}
