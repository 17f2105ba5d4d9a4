// out [gridDim.x * 50] = x less the largest of its block, blocks of 50 threads: a full warp and one of 18 lanes, whose
// shuffles stay among the lanes that exist.
extern "C" __global__ void right_odd_block_size(const float *x, float *out) {
  __shared__ float part[2];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, i = blockIdx.x * 50 + t;
  const int lanes = min(32, 50 - warp * 32);
  float largest = x[i];
  for (int away = 16; away > 0; away /= 2)
    largest = fmaxf(largest, __shfl_sync(0xffffffffu, largest, lane + away < lanes ? lane + away : lane));
  if (lane == 0) part[warp] = largest;
  __syncthreads();
  out[i] = x[i] - fmaxf(part[0], part[1]);
}
