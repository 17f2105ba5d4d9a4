// means [groups] of x [n] in double precision. Counts and sums share one piece of dynamic shared memory; behind an odd
// number of counts, a double is not at a multiple of eight. Modelled on kokkos/kokkos#686 (misaligned address).
extern "C" __global__ void doubles_behind_odd_counts(const int *group, const float *x, float *means, int n,
                                                     int groups) {
  extern __shared__ int counts[];
  double *sums = reinterpret_cast<double *>(counts + groups);
  for (int g = threadIdx.x; g < groups; g += blockDim.x) {
    counts[g] = 0;
    sums[g] = 0.0;  // FAULT: misaligned counts
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    atomicAdd(&counts[group[i]], 1);
    atomicAdd(&sums[group[i]], static_cast<double>(x[i]));
  }
  __syncthreads();
  for (int g = threadIdx.x; g < groups; g += blockDim.x) means[g] = static_cast<float>(sums[g] / counts[g]);
}
