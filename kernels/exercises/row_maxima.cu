// out [rows] = the largest element of each row of x [rows, cols]. A block of 128 threads a row: each thread looks at every
// 128th element, then the 128 results are halved in shared memory, with __syncthreads(); where it is needed.
extern "C" __global__ void row_maxima(const float* x, float* out, int cols) {
    __shared__ float best[128];
    int lane = threadIdx.x;
    float largest = x[blockIdx.x * cols];
    for (int c = lane; c < cols; c += 128) largest = fmaxf(largest, x[blockIdx.x * cols + c]);
    // BEGIN SOLUTION
    best[lane] = largest; __syncthreads();
    // GIVEN INSTEAD
    // best[lane] = largest;
    // END SOLUTION
    for (int half = 64; half > 0; half /= 2) {
        if (lane < half) best[lane] = fmaxf(best[lane], best[lane + half]);
        // BEGIN SOLUTION
        __syncthreads();
        // GIVEN INSTEAD
        // if (half > 32) __syncthreads();  // the last 32 lanes are one warp: no need to wait any more
        // END SOLUTION
    }
    if (lane == 0) out[blockIdx.x] = best[0];
}
