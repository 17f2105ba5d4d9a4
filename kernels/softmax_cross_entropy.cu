/* Softmax and cross-entropy. logits [rows, classes] row-major float32, labels [rows] int32 from 0 to classes - 1.

     p[r, c]           = exp(logits[r, c] - max_r) / sum_r        the maximum is subtracted, or exp overflows at 89
     losses[r]         = -log p[r, labels[r]] / rows              their sum is the mean loss of the batch
     grad_logits[r, c] = (p[r, c] - [c == labels[r]]) / rows

   version                    launches   arrays moved                geometry
   softmax_thread_per_row     }          3 reads, 1 write            grid ceil(rows / 128), block 128; a thread walks its
                              }                                      row: neighbours are `classes` floats apart
   softmax_warp_per_row       } three    3 reads (2 from the L1)     grid ceil(rows / 4), block 128: four warps, four rows
   cross_entropy_loss         }          rows elements               grid ceil(rows / 128), block 128
   cross_entropy_backward     }          1 read, 1 write             grid ceil(rows classes / 256), block 256
   softmax_cross_entropy      one        1 read (+ 2 from the L1),   as softmax_warp_per_row
                                         1 write

   An array of the size of logits is 4 rows classes bytes. A warp is 32 threads on NVIDIA cards and RDNA, 64 on the
   GCN cards: rows a block are blockDim.x / warpSize, so the grids above are for 32, and twice as large for 64.
*/

#if defined(__HIPCC__) || defined(__HIP__)
#define SHUFFLE_XOR(v, lanes) __shfl_xor(v, lanes)  // HIP 5: no masks, a wave runs in step
#else
#define SHUFFLE_XOR(v, lanes) __shfl_xor_sync(0xffffffffu, v, lanes)
#endif
#define LOWEST -3.402823466e+38f  // -FLT_MAX: NVRTC has no INFINITY

// Every lane ends with the maximum or the sum of all lanes: log2(warpSize) exchanges.
__device__ __forceinline__ float warp_max(float v) {
    for (int lanes = warpSize / 2; lanes > 0; lanes /= 2) v = fmaxf(v, SHUFFLE_XOR(v, lanes));
    return v;
}
__device__ __forceinline__ float warp_sum(float v) {
    for (int lanes = warpSize / 2; lanes > 0; lanes /= 2) v += SHUFFLE_XOR(v, lanes);
    return v;
}

extern "C" __global__ void softmax_thread_per_row(const float* __restrict__ logits, float* __restrict__ p, int rows, int classes) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* z = logits + row * classes;
    float largest = LOWEST, sum = 0.0f;
    for (int c = 0; c < classes; ++c) largest = fmaxf(largest, z[c]);
    for (int c = 0; c < classes; ++c) sum += expf(z[c] - largest);
    for (int c = 0; c < classes; ++c) p[row * classes + c] = expf(z[c] - largest) / sum;
}

extern "C" __global__ void softmax_warp_per_row(const float* __restrict__ logits, float* __restrict__ p, int rows, int classes) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
    if (row >= rows) return;  // whole warps leave together: the shuffles below have all their lanes
    const float* z = logits + row * classes;
    float largest = LOWEST, sum = 0.0f;
    for (int c = lane; c < classes; c += warpSize) largest = fmaxf(largest, z[c]);
    largest = warp_max(largest);
    for (int c = lane; c < classes; c += warpSize) sum += expf(z[c] - largest);
    sum = warp_sum(sum);
    for (int c = lane; c < classes; c += warpSize) p[row * classes + c] = expf(z[c] - largest) / sum;
}

extern "C" __global__ void cross_entropy_loss(const float* __restrict__ p, const int* __restrict__ labels,
                                              float* __restrict__ losses, int rows, int classes) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) losses[row] = -logf(p[row * classes + labels[row]]) / rows;
}

extern "C" __global__ void cross_entropy_backward(const float* __restrict__ p, const int* __restrict__ labels,
                                                  float* __restrict__ grad_logits, int rows, int classes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * classes) return;
    float hit = i % classes == labels[i / classes] ? 1.0f : 0.0f;
    grad_logits[i] = (p[i] - hit) / rows;
}

extern "C" __global__ void softmax_cross_entropy(const float* __restrict__ logits, const int* __restrict__ labels,
                                                 float* __restrict__ grad_logits, float* __restrict__ losses,
                                                 int rows, int classes) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
    if (row >= rows) return;
    const float* z = logits + row * classes;
    int label = labels[row];
    float largest = LOWEST, sum = 0.0f;
    for (int c = lane; c < classes; c += warpSize) largest = fmaxf(largest, z[c]);
    largest = warp_max(largest);
    for (int c = lane; c < classes; c += warpSize) sum += expf(z[c] - largest);
    sum = warp_sum(sum);
    float scale = 1.0f / sum, share = 1.0f / rows;
    for (int c = lane; c < classes; c += warpSize)
        grad_logits[row * classes + c] = (expf(z[c] - largest) * scale - (c == label ? 1.0f : 0.0f)) * share;
    // -log p = log sum - (z - max): no exponential is lost in a p of 0
    if (lane == 0) losses[row] = (logf(sum) - (z[label] - largest)) * share;
}
