// out [n] = x [n] squared, with a line printed by every thread: more than a GPU's buffer of 1 MB can keep.
// Modelled on voxcraft/voxcraft-sim#52 and NVlabs/cuda-oxide#759 (a print buffer that silently drops).
extern "C" __global__ void print_in_every_thread(const float *x, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = x[i] * x[i];
  printf("block %4d thread %4d: the square of x[%6d] = %12.6f is out[%6d] = %12.6f\n",  // OR
         blockIdx.x, threadIdx.x, i, x[i], i, out[i]);  // FAULT: printf-limit
}
