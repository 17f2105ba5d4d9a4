// Insert keys [n] into an open hash table: 0 marks a free slot. When none is left, the search goes round for ever.
// Modelled on NVIDIA/cuCollections#647 (hangs when inserting into a fully occupied table).
extern "C" __global__ void probing_a_full_table(const int *keys, int *table, int n, int slots) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int slot = keys[i] % slots;
  while (true) {
    const int before = atomicCAS(&table[slot], 0, keys[i]);  // FAULT: time-out
    if (before == 0 || before == keys[i]) break;  // OR
    slot = (slot + 1) % slots;  // OR
  }
}
