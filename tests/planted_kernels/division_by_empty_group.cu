// share [n] = an element's whole-number part of its group's total. A group without a total divides by zero: a GPU goes
// on with -1. Modelled on Theano/Theano#5854 (integer division by 0 in a kernel) and pytorch/pytorch#180781.
extern "C" __global__ void division_by_empty_group(const int *value, const int *group, const int *total, int *share,
                                                   int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  share[i] = 100 * value[i] / total[group[i]];  // FAULT: crash
}
