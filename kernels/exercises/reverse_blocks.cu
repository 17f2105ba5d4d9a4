// out [n]: each block of 64 threads writes its 64 elements of x [n] in reverse; in the last block only those that exist.
// Through shared memory, with __syncthreads(); in between. Grid ceil(n / 64), block 64.
extern "C" __global__ void reverse_blocks(const float* x, float* out, int n) {
    __shared__ float tile[64];
    int lane = threadIdx.x, first = blockIdx.x * 64, i = first + lane;
    int count = n - first < 64 ? n - first : 64;
    // BEGIN SOLUTION
    if (i < n) tile[lane] = x[i];
    __syncthreads();
    if (i < n) out[i] = tile[count - 1 - lane];
    // GIVEN INSTEAD
    // if (i >= n) return;  // nothing to do for this thread
    // tile[lane] = x[i];
    // __syncthreads();
    // out[i] = tile[count - 1 - lane];
    // END SOLUTION
}
