// best [2] = largest of x [n] and its place, under a lock that one thread a block takes. Lock and unlock are fenced.
#define THREADS 64
extern "C" __global__ void right_lock_with_fences(const float *x, volatile float *best, int *lock, int n) {
  if (threadIdx.x != 0) return;
  const int first = blockIdx.x * THREADS;
  int place = first;
  for (int i = first; i < min(first + THREADS, n); ++i)
    if (x[i] > x[place]) place = i;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  if (x[place] > best[0]) best[0] = x[place], best[1] = static_cast<float>(place);
  __threadfence();
  atomicExch(lock, 0);
}
