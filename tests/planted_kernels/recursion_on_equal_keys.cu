// Sort each row of x [rows, length], a thread a row, by quicksort. With equal keys the split leaves all of them on one
// side, and the call repeats itself. Compare UWB-Biocomputing/BrainGrid#255 and kokkos/kokkos#2214 (recursive sorting).
__device__ __noinline__ void sort_part(float *x, int first, int last) {  // OR
  if (first >= last) return;  // OR
  const float pivot = x[first];  // FAULT: stack-overflow
  int split = first;  // OR
  for (int i = first; i <= last; ++i)  // OR
    if (x[i] <= pivot) {  // OR
      const float kept = x[i];  // OR
      x[i] = x[split], x[split++] = kept;  // OR
    }
  sort_part(x, first, split - 1);  // OR
  sort_part(x, split, last);
}
extern "C" __global__ void recursion_on_equal_keys(float *x, int rows, int length) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) sort_part(x + row * length, 0, length - 1);
}
