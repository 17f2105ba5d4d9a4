// out [n] = a or b, element by element, as kind [n] says. A kind that nobody has thought of leaves the pointer null.
extern "C" __global__ void pointer_left_null(const int *kind, const float *a, const float *b, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float *source = nullptr;
  if (kind[i] == 0) source = a;
  else if (kind[i] == 1) source = b;
  out[i] = source[i];  // FAULT: global-out-of-bounds
}
