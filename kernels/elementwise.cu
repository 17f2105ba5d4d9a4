/* Elementwise kernels: add two arrays, add a bias to each row.

   add          c[i] = a[i] + b[i]; a, b, c: [n] float32.
                One thread an element: grid ceil(n / 256), block 256. Moves 12 n bytes: two reads and a write an element.
   add_float4   The same, four elements a thread: one 16-byte access where there were four of 4 bytes. The sectors stay,
                the requests fall to a quarter. Grid ceil(n / 1024), block 256. Elements past the last full four are done
                one by one.
   add_bias     y[r, c] += bias[c]; y: [rows, cols] row-major, bias: [cols].
                Grid (ceil(cols / 32), ceil(rows / 8)), block (32, 8): a warp is 32 neighbours of one row.
                Moves 8 rows cols + 4 cols bytes; the bias is read once a row of blocks and stays in the cache.
*/

extern "C" __global__ void add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void add_float4(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) {  // all four are inside; arrays from cudaMalloc begin at a multiple of 256 bytes, so 4 i is aligned
        float4 x = *reinterpret_cast<const float4*>(a + i);
        float4 y = *reinterpret_cast<const float4*>(b + i);
        *reinterpret_cast<float4*>(c + i) = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    } else {
        for (; i < n; ++i) c[i] = a[i] + b[i];  // at most three, in one thread of the grid
    }
}

extern "C" __global__ void add_bias(float* __restrict__ y, const float* __restrict__ bias, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) y[row * cols + col] += bias[col];
}
