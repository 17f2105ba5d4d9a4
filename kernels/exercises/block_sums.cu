// out [blocks]: each block of 256 threads adds up its 256 elements of x [n]; elements past the end count as 0.
// Grid ceil(n / 256), block 256. The sums are formed in shared memory, in halves: 128 threads add, then 64, ... then 1,
// with __syncthreads(); between the steps. Reads 4 n bytes, writes 4 for each block.
extern "C" __global__ void block_sums(const float* x, float* out, int n) {
    __shared__ float part[256];
    // BEGIN SOLUTION
    int lane = threadIdx.x, i = blockIdx.x * 256 + lane;
    part[lane] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (lane < half) part[lane] += part[lane + half];
        __syncthreads();
    }
    if (lane == 0) out[blockIdx.x] = part[0];
    // END SOLUTION
}
