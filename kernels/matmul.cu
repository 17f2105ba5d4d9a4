/* Matrix product C = A B, float32, row-major: A [M, K], B [K, N], C [M, N]. Any sizes.

   2 M N K floating-point operations. Each input read once and the output written once are 4 (M K + K N + M N) bytes:
   for 96 x 784 x 256 that is 1.2 MB, and each version below reads far more than that from the caches.

   version                 threads a block   C a thread   bytes read from global memory
   matmul_uncoalesced      16 x 16           1            8 M N K; neighbours in a warp read B 4 N bytes apart
   matmul_naive            16 x 16           1            8 M N K; neighbours read neighbours
   matmul_tiled            16 x 16           1            8 M N K / 16: a tile of A and of B is read once a block
   matmul_register_1d      512               8            8 M N K / 64
   matmul_register_2d      256               4 x 4        8 M N K / 64, and half the reads of shared memory of 1d
   matmul_float4           256               4 x 4        the same, in 16-byte accesses where rows allow
   matmul_double_buffered  256               4 x 4        the same; the next tile is read while this one is used

   Grids: uncoalesced (ceil(M / 16), ceil(N / 16)); naive and tiled (ceil(N / 16), ceil(M / 16));
   the others (ceil(N / 64), ceil(M / 64)). Blocks as in the table; those of 512 and 256 threads are one-dimensional.
*/

#define TILE 16  // two tiles of 16 x 16 floats are 2 KB of shared memory a block
#define BM 64    // rows of C a block
#define BN 64    // columns of C a block
#define BK 8     // columns of A, rows of B, in a tile: 2 x 64 x 8 floats are 4 KB

// threadIdx.x walks down the rows: a warp's 32 addresses in C and A are a whole row apart.
extern "C" __global__ void matmul_uncoalesced(const float* __restrict__ A, const float* __restrict__ B,
                                              float* __restrict__ C, int M, int N, int K) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}

// The same with x and y exchanged: a warp reads neighbours of one row of B, and one or two elements of A.
extern "C" __global__ void matmul_naive(const float* __restrict__ A, const float* __restrict__ B,
                                        float* __restrict__ C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}

// A block fetches a 16 x 16 tile of A and of B, and each element is used 16 times from shared memory.
extern "C" __global__ void matmul_tiled(const float* __restrict__ A, const float* __restrict__ B,
                                        float* __restrict__ C, int M, int N, int K) {
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        // Outside of the matrix the tile holds zeros: they add nothing, and every thread reaches the barriers.
        As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        Bs[ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += As[ty][k] * Bs[k][tx];
        __syncthreads();  // nobody overwrites a tile that somebody still reads
    }
    if (row < M && col < N) C[row * N + col] = sum;
}

// Eight rows of one column a thread: an element of B is read from shared memory once and used eight times.
extern "C" __global__ void __launch_bounds__(512) matmul_register_1d(
        const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
    __shared__ float As[BM][BK];
    __shared__ float Bs[BK][BN];
    const int rows = 8;
    int t = threadIdx.x, tx = t % BN, ty = t / BN;  // 64 columns, 8 groups of 8 rows
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float sum[rows] = {0.0f};
    for (int k0 = 0; k0 < K; k0 += BK) {
        int ar = row0 + t / BK, ak = k0 + t % BK;  // 512 threads fetch 64 x 8 and 8 x 64, one element of each a thread
        int bk = k0 + t / BN, bc = col0 + t % BN;
        As[t / BK][t % BK] = ar < M && ak < K ? A[ar * K + ak] : 0.0f;
        Bs[t / BN][t % BN] = bk < K && bc < N ? B[bk * N + bc] : 0.0f;
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            float b = Bs[k][tx];
#pragma unroll
            for (int i = 0; i < rows; ++i) sum[i] += As[ty * rows + i][k] * b;
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < rows; ++i) {
        int row = row0 + ty * rows + i, col = col0 + tx;
        if (row < M && col < N) C[row * N + col] = sum[i];
    }
}

// 4 x 4 of C a thread: 8 reads from shared memory feed 16 multiply-adds.
extern "C" __global__ void __launch_bounds__(256) matmul_register_2d(
        const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
    __shared__ float As[BM][BK + 1];  // one float of padding: a column of A falls into different banks
    __shared__ float Bs[BK][BN];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float sum[4][4] = {{0.0f}};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = t; i < BM * BK; i += 256) {
            int r = i / BK, k = i % BK;
            As[r][k] = row0 + r < M && k0 + k < K ? A[(row0 + r) * K + k0 + k] : 0.0f;
        }
        for (int i = t; i < BK * BN; i += 256) {
            int k = i / BN, c = i % BN;
            Bs[k][c] = k0 + k < K && col0 + c < N ? B[(k0 + k) * N + col0 + c] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            float a[4], b[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) a[i] = As[ty * 4 + i][k];
#pragma unroll
            for (int j = 0; j < 4; ++j) b[j] = Bs[k][tx + 16 * j];  // columns 16 apart: neighbours read neighbours
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) sum[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            int row = row0 + ty * 4 + i, col = col0 + tx + 16 * j;
            if (row < M && col < N) C[row * N + col] = sum[i][j];
        }
}

// Four neighbours of a row, zeros where the matrix ends. A row may begin at any multiple of 4 bytes when its length is
// no multiple of 4, and then a 16-byte read would be misaligned: `whole` says that rows allow it.
__device__ __forceinline__ float4 four(const float* __restrict__ m, int row, int col, int rows, int cols, bool whole) {
    if (row >= rows) return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const float* p = m + row * cols + col;
    if (whole && col + 3 < cols) return *reinterpret_cast<const float4*>(p);
    return make_float4(col < cols ? p[0] : 0.0f, col + 1 < cols ? p[1] : 0.0f, col + 2 < cols ? p[2] : 0.0f,
                       col + 3 < cols ? p[3] : 0.0f);
}

// A lies transposed in shared memory, so that a thread's four rows and four columns are one 16-byte read each.
extern "C" __global__ void __launch_bounds__(256) matmul_float4(
        const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
    __shared__ __align__(16) float As[BK][BM + 4];  // 68 floats a row keep every fourth float 16-byte aligned
    __shared__ __align__(16) float Bs[BK][BN + 4];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float sum[4][4] = {{0.0f}};
    for (int k0 = 0; k0 < K; k0 += BK) {
        if (t < 128) {  // four warps fetch A, the other four B: 128 reads of 16 bytes each
            int r = t / 2, k = 4 * (t % 2);
            float4 v = four(A, row0 + r, k0 + k, M, K, K % 4 == 0);
            As[k][r] = v.x, As[k + 1][r] = v.y, As[k + 2][r] = v.z, As[k + 3][r] = v.w;
        } else {
            int k = (t - 128) / 16, c = 4 * (t % 16);
            *reinterpret_cast<float4*>(&Bs[k][c]) = four(B, k0 + k, col0 + c, K, N, N % 4 == 0);
        }
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            float4 a4 = *reinterpret_cast<const float4*>(&As[k][ty * 4]);
            float4 b4 = *reinterpret_cast<const float4*>(&Bs[k][tx * 4]);
            float a[4] = {a4.x, a4.y, a4.z, a4.w}, b[4] = {b4.x, b4.y, b4.z, b4.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) sum[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        int row = row0 + ty * 4 + i, col = col0 + tx * 4;
        if (row >= M) continue;
        if (N % 4 == 0 && col + 3 < N) {
            *reinterpret_cast<float4*>(C + row * N + col) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
        } else {
#pragma unroll
            for (int j = 0; j < 4; ++j)
                if (col + j < N) C[row * N + col + j] = sum[i][j];
        }
    }
}

// Two pairs of tiles: while one is used, the next travels into registers and then into the other. One barrier a step.
extern "C" __global__ void __launch_bounds__(256) matmul_double_buffered(
        const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
    __shared__ float As[2][BM][BK + 1];
    __shared__ float Bs[2][BK][BN];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    int ar = t / BK, ak = t % BK, bk = t / BN, bc = t % BN;  // this thread's elements: A rows ar, ar + 32; B rows bk, bk + 4
    float sum[4][4] = {{0.0f}};
    float a0, a1, b0, b1;  // in flight
    int steps = (K + BK - 1) / BK;
    for (int step = -1; step < steps; ++step) {
        int now = step & 1, next = now ^ 1, k0 = (step + 1) * BK;
        if (step + 1 < steps) {
            a0 = row0 + ar < M && k0 + ak < K ? A[(row0 + ar) * K + k0 + ak] : 0.0f;
            a1 = row0 + ar + 32 < M && k0 + ak < K ? A[(row0 + ar + 32) * K + k0 + ak] : 0.0f;
            b0 = k0 + bk < K && col0 + bc < N ? B[(k0 + bk) * N + col0 + bc] : 0.0f;
            b1 = k0 + bk + 4 < K && col0 + bc < N ? B[(k0 + bk + 4) * N + col0 + bc] : 0.0f;
        }
        if (step >= 0) {
            for (int k = 0; k < BK; ++k) {
                float a[4], b[4];
#pragma unroll
                for (int i = 0; i < 4; ++i) a[i] = As[now][ty * 4 + i][k];
#pragma unroll
                for (int j = 0; j < 4; ++j) b[j] = Bs[now][k][tx + 16 * j];
#pragma unroll
                for (int i = 0; i < 4; ++i)
#pragma unroll
                    for (int j = 0; j < 4; ++j) sum[i][j] += a[i] * b[j];
            }
        }
        if (step + 1 < steps) {
            As[next][ar][ak] = a0, As[next][ar + 32][ak] = a1;
            Bs[next][bk][bc] = b0, Bs[next][bk + 4][bc] = b1;
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            int row = row0 + ty * 4 + i, col = col0 + tx + 16 * j;
            if (row < M && col < N) C[row * N + col] = sum[i][j];
        }
}
