// table [slots] += value of each key, at a hashed slot. The product leaves the range of int, so the remainder is
// negative. Modelled on microsoft/onnxruntime#28107 (Gather: an int32 offset that overflows to a negative index).
extern "C" __global__ void hashed_slot_overflow(const int *keys, const float *values, float *table, int n, int slots) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int hash = keys[i] * 31 + 17;
  const int slot = hash % slots;
  atomicAdd(&table[slot], values[i]);  // FAULT: global-out-of-bounds table
}
