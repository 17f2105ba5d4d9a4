// best [gridDim.x] = place of the smallest error among the first `working` of a block. The index array is carved out
// for `working` entries and filled by every thread, right into the errors behind it.
// Modelled on Xtra-Computing/thundersvm#99 (c_smo_solve_kernel, f_idx2reduce and f_val2reduce).
extern "C" __global__ void carved_arrays_overlap(const float *error, int *best, int working) {
  extern __shared__ float memory[];
  int *index = reinterpret_cast<int *>(memory);
  float *value = memory + working;
  const int t = threadIdx.x;
  if (t < working)
    value[t] = error[blockIdx.x * working + t];  // FAULT: shared-race memory
  index[t] = t;  // OR
  __syncthreads();
  if (t != 0) return;
  int found = 0;
  for (int k = 1; k < working; ++k)
    if (value[k] < value[found]) found = k;
  best[blockIdx.x] = index[found];
}
