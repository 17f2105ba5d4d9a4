// peak [places] = largest of the features that fall on a place: a float's maximum out of compare-and-swap on its bits.
extern "C" __global__ void right_largest_by_compare_and_swap(const float *feature, const int *place, int *peak, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int *at = &peak[place[i]];
    int seen = atomicCAS(at, 0, 0);
    while (__int_as_float(seen) < feature[i]) {
      const int before = atomicCAS(at, seen, __float_as_int(feature[i]));
      if (before == seen) break;
      seen = before;
    }
  }
}
