// loss [n] = minus the log probability of each label. One label is as large as the number of classes.
// Modelled on modelscope/ms-swift#3267 (nll_loss: assertion t >= 0 && t < n_classes).
extern "C" __global__ void label_out_of_range(const float *log_p, const int *label, float *loss, int n, int classes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  assert(label[i] >= 0 && label[i] < classes);  // FAULT: trap
  loss[i] = -log_p[i * classes + label[i]];
}
