// Sort each row of x [rows, length], a thread a row, by quicksort: the pivot leaves the parts, and the shorter part is
// the one that recurses.
__device__ __noinline__ void sort_part(float *x, int first, int last) {
  while (first < last) {
    const float pivot = x[last];
    int split = first;
    for (int i = first; i < last; ++i)
      if (x[i] < pivot) {
        const float kept = x[i];
        x[i] = x[split], x[split++] = kept;
      }
    x[last] = x[split], x[split] = pivot;
    if (split - first < last - split) {
      sort_part(x, first, split - 1);
      first = split + 1;
    } else {
      sort_part(x, split + 1, last);
      last = split - 1;
    }
  }
}
extern "C" __global__ void right_bounded_recursion(float *x, int rows, int length) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) sort_part(x + row * length, 0, length - 1);
}
