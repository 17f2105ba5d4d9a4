// labels [64]: neighbours of one kind take over the smaller label until nothing changes. __syncthreads_or() is barrier
// and vote at once; a second barrier keeps writing and reading apart.
extern "C" __global__ void right_loop_until_nobody_changes(const int *kind, int *labels) {
  __shared__ int label[64];
  const int t = threadIdx.x;
  label[t] = t;
  int changed;
  do {
    __syncthreads();
    int smallest = label[t];
    if (t > 0 && kind[t - 1] == kind[t]) smallest = min(smallest, label[t - 1]);
    if (t < 63 && kind[t + 1] == kind[t]) smallest = min(smallest, label[t + 1]);
    changed = __syncthreads_or(smallest != label[t]);
    label[t] = smallest;
  } while (changed);
  labels[t] = label[t];
}
