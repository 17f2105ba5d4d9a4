// out [n - 1] = x [n] without its first element, copied in pairs. The pairs of the slice begin at odd elements.
// Modelled on apache/tvm#8540 (strided_slice of [1, 3], two halves at an odd offset).
extern "C" __global__ void slice_from_odd_element(const float *x, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i + 2 > n - 1) return;
  const float2 pair = *reinterpret_cast<const float2 *>(x + 1 + 2 * i);  // FAULT: misaligned x
  *reinterpret_cast<float2 *>(out + 2 * i) = pair;
}
