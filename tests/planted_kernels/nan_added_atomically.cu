// loss [1] = cross entropy of p and t [n], added up atomically: a probability and a target of 0 add NaN to the sum.
// Modelled on OpenBMB/ModelCenter#14 and tiny-dnn/tiny-dnn#410.
extern "C" __global__ void nan_added_atomically(const float *p, const float *t, float *loss, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(loss, -t[i] * logf(p[i]));  // FAULT: nan loss
}
