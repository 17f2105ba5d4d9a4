// field [n] smoothed in place: whether a neighbour is read before or after its own update is left to chance.
extern "C" __global__ void smoothed_in_place(float *field, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1 || i >= n - 1) return;
  const float around = field[i - 1] + field[i + 1];  // FAULT: global-race field
  field[i] = 0.5f * field[i] + 0.25f * around;       // OR
}
