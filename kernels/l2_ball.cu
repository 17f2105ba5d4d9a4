/* Projection of each row onto the ball of radius 1 in the 2-norm. x, y, gradients: [rows, width] row-major float32.

     l2_ball_forward    y = s x, s = min(1 / ‖x‖, 1): rows inside the ball stay, the others move to its surface
     l2_ball_backward   grad_x = grad_y                            inside
                        grad_x = (grad_y - y (y · grad_y)) / ‖x‖   outside: the part along y is lost, the rest shrinks

   One warp a row: grid ceil(rows / 4), block 128 where a warp has 32 threads (rows a block: blockDim.x / warpSize).
   Bytes: 8 rows width forward, 12 rows width backward; the second pass over a row finds it in the cache.
*/

#if defined(__HIPCC__) || defined(__HIP__)
#define SHUFFLE_XOR(v, lanes) __shfl_xor(v, lanes)  // HIP 5: no masks, a wave runs in step
#else
#define SHUFFLE_XOR(v, lanes) __shfl_xor_sync(0xffffffffu, v, lanes)
#endif

__device__ __forceinline__ float warp_sum(float v) {
    for (int lanes = warpSize / 2; lanes > 0; lanes /= 2) v += SHUFFLE_XOR(v, lanes);
    return v;
}

extern "C" __global__ void l2_ball_forward(const float* __restrict__ x, float* __restrict__ y, int rows, int width) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
    if (row >= rows) return;  // whole warps leave together
    x += row * width, y += row * width;
    float square = 0.0f;
    for (int c = lane; c < width; c += warpSize) square += x[c] * x[c];
    square = warp_sum(square);
    float scale = square > 1.0f ? 1.0f / sqrtf(square) : 1.0f;
    for (int c = lane; c < width; c += warpSize) y[c] = scale * x[c];
}

extern "C" __global__ void l2_ball_backward(const float* __restrict__ x, const float* __restrict__ grad_y,
                                            float* __restrict__ grad_x, int rows, int width) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
    if (row >= rows) return;
    x += row * width, grad_y += row * width, grad_x += row * width;
    float square = 0.0f, along = 0.0f;
    for (int c = lane; c < width; c += warpSize) {
        float v = x[c];
        square += v * v;
        along += v * grad_y[c];
    }
    square = warp_sum(square);
    along = warp_sum(along);
    bool outside = square > 1.0f;
    float scale = outside ? 1.0f / sqrtf(square) : 1.0f;
    float pull = outside ? along / square : 0.0f;  // (y · grad_y) y / ‖x‖ = (x · grad_y) x / ‖x‖³
    for (int c = lane; c < width; c += warpSize) grad_x[c] = scale * (grad_y[c] - pull * x[c]);
}
