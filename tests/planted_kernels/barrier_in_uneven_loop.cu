// longest [rows]: rows of different lengths, a thread a row, and a barrier in the loop over a row's pieces. The thread
// with a short row waits at the last barrier, the others in the loop. Modelled on 1bit-MONSTER/1bit-MONSTER#1262.
extern "C" __global__ void barrier_in_uneven_loop(const int *start, const float *x, float *longest, int rows) {
  __shared__ float best[64];
  const int row = threadIdx.x;
  best[row] = 0.0f;
  for (int i = start[row]; i < start[row + 1]; ++i) {
    best[row] = fmaxf(best[row], fabsf(x[i]));
    __syncthreads();  // FAULT: barrier-divergence
  }
  __syncthreads();  // OR
  longest[row] = fmaxf(best[row], best[(row + 1) % rows]);
}
