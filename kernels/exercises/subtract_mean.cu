// out [rows, cols] = x [rows, cols] - mean [cols], row-major: each column loses its own mean.
// One thread an element: grid (ceil(cols / 32), ceil(rows / 8)), block (32, 8). A warp is 32 neighbours of one row:
// 128 bytes read and 128 written are 4 sectors of 32 bytes each.
extern "C" __global__ void subtract_mean(const float* x, const float* mean, float* out, int rows, int cols) {
    // BEGIN SOLUTION
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) out[row * cols + col] = x[row * cols + col] - mean[col];
    // END SOLUTION
}
