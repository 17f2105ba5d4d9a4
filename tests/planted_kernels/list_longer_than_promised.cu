// kept [capacity] = places of the positive elements of x [n], in any order. There are more than the host has room for,
// which stops the launch.
extern "C" __global__ void list_longer_than_promised(const float *x, int *kept, int *count, int n, int capacity) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || x[i] <= 0.0f) return;
  const int at = atomicAdd(count, 1);
  if (at >= capacity) __trap();  // FAULT: trap
  kept[at] = i;
}
