// best [2] = largest of x [n] and its place, under a lock that every thread takes. The lock is given back inside of the
// loop that waits for it, as threads of one warp need it. Compare NVIDIA/warp#1958 (a lock among threads of a warp).
extern "C" __global__ void right_lock_for_every_thread(const float *x, volatile float *best, int *lock, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool waiting = i < n;
  while (waiting) {
    if (atomicCAS(lock, 0, 1) != 0) continue;
    __threadfence();
    if (x[i] > best[0]) best[0] = x[i], best[1] = static_cast<float>(i);
    __threadfence();
    atomicExch(lock, 0);
    waiting = false;
  }
}
