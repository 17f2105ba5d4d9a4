// out [cols, rows] = x [rows, cols] transposed, through a tile of 32 x 32 in shared memory: rows are read as rows and
// written as rows. Grid (ceil(cols / 32), ceil(rows / 32)), block (32, 32). Reads and writes 4 rows cols bytes.
extern "C" __global__ void transpose(const float* x, float* out, int rows, int cols) {
    // BEGIN SOLUTION
    __shared__ float tile[32][33];
    // GIVEN INSTEAD
    // __shared__ float tile[32][32];
    // END SOLUTION
    int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = x[row * cols + col];
    __syncthreads();
    int out_row = blockIdx.x * 32 + threadIdx.y, out_col = blockIdx.y * 32 + threadIdx.x;
    if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[threadIdx.x][threadIdx.y];
}
