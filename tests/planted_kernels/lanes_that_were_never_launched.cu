// total [1] = sum of x [48], blocks of 48 threads. The second warp has 16 lanes; each takes a value from a lane that
// does not exist. Modelled on NVlabs/cuda-oxide#672 (blocks of 48 threads, full member masks).
extern "C" __global__ void lanes_that_were_never_launched(const float *x, float *total) {
  __shared__ float partial[2];
  float sum = x[threadIdx.x];
  for (int away = 16; away > 0; away /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, away);  // FAULT: warp-divergence
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) *total = partial[0] + partial[1];
}
