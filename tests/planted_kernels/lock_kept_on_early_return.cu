// total [1] = sum of those x [n] that are not too large, under a lock. A thread that meets a large one goes home with
// the lock in its pocket; all others wait for ever. The lock itself is as in NVIDIA/warp#1958.
extern "C" __global__ void lock_kept_on_early_return(const float *x, float *total, int *lock, float limit) {
  while (atomicCAS(lock, 0, 1) != 0) {  // FAULT: time-out
  }
  const float value = x[threadIdx.x];
  if (value > limit) return;
  atomicAdd(total, value);
  atomicExch(lock, 0);
}
