// out [gridDim.x * 128] = x as parts of its block's total. One thread writes the total, all read it at once; who comes
// first reads what nobody has written. Modelled on ORNL/HeCBench#254 (marchingCubes, sumsVertices[31]).
#define THREADS 128
extern "C" __global__ void total_read_without_barrier(const float *x, float *out) {
  __shared__ float part[THREADS / 32], total;
  const int i = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x % 32;
  float sum = x[i];
  for (int away = 16; away > 0; away /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, away);
  if (lane == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == THREADS / 2)
    total = part[0] + part[1] + part[2] + part[3];  // FAULT: shared-race total
  out[i] = x[i] / total;  // OR  // ALSO: uninitialised-shared
}
