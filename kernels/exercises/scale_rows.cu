// out [rows, cols] = x [rows, cols] times factor [rows], row-major. One thread an element, block (32, 8): 256 threads.
extern "C" __global__ void scale_rows(const float* x, const float* factor, float* out, int rows, int cols) {
    // BEGIN SOLUTION
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 8 + threadIdx.y;
    // GIVEN INSTEAD
    // int row = blockIdx.x * 32 + threadIdx.x;
    // int col = blockIdx.y * 8 + threadIdx.y;
    // END SOLUTION
    if (row < rows && col < cols) out[row * cols + col] = factor[row] * x[row * cols + col];
}
