/* Backward of a linear layer y = x W + b whose input x came out of a ReLU. Row-major float32:
   x [batch, in], W [in, out], grad_output [batch, out] = dL/dy.

     grad_weight [in, out]    = xᵀ grad_output        grad_weight[i, o] = sum over n of x[n, i] grad_output[n, o]
     grad_bias   [out]        = sum of the rows       grad_bias[o]      = sum over n of grad_output[n, o]
     grad_input  [batch, in]  = grad_output Wᵀ        grad_input[n, i]  = sum over o of grad_output[n, o] W[i, o],
                                                      and 0 where x[n, i] is not above 0: the ReLU's mask

   4 batch in out + batch out floating-point operations; the fewest bytes are
   4 (2 batch in + batch out + 2 in out + out).

   version               launches   geometry
   grad_weight_naive     }          grid (ceil(out / 16), ceil(in / 16)), block (16, 16)
   grad_bias_naive       } three    grid ceil(out / 128), block 128
   grad_input_naive      }          grid (ceil(in / 16), ceil(batch / 16)), block (16, 16)
   linear_backward       one        grid ceil(in / 16) (ceil(out / 16) + ceil(batch / 16)), block (16, 16): the first
                                    ceil(in / 16) ceil(out / 16) blocks make grad_weight and grad_bias, the others
                                    grad_input; 16 x 16 tiles, so each input element is read once in 16 uses.
                                    Rows of 17 floats: a column is read in one pass over the banks. A warp stores two
                                    rows, which then share a bank: two passes, but there are 16 reads for each store
*/

#define TILE 16

extern "C" __global__ void grad_weight_naive(const float* __restrict__ x, const float* __restrict__ grad_output,
                                             float* __restrict__ grad_weight, int batch, int in, int out) {
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < in && o < out) {
        float sum = 0.0f;
        for (int n = 0; n < batch; ++n) sum += x[n * in + i] * grad_output[n * out + o];
        grad_weight[i * out + o] = sum;
    }
}

extern "C" __global__ void grad_bias_naive(const float* __restrict__ grad_output, float* __restrict__ grad_bias,
                                           int batch, int out) {
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o < out) {
        float sum = 0.0f;
        for (int n = 0; n < batch; ++n) sum += grad_output[n * out + o];
        grad_bias[o] = sum;
    }
}

extern "C" __global__ void grad_input_naive(const float* __restrict__ grad_output, const float* __restrict__ W,
                                            const float* __restrict__ x, float* __restrict__ grad_input,
                                            int batch, int in, int out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int n = blockIdx.y * blockDim.y + threadIdx.y;
    if (n < batch && i < in) {
        float sum = 0.0f;
        for (int o = 0; o < out; ++o) sum += grad_output[n * out + o] * W[i * out + o];  // W: a row apart, uncoalesced
        grad_input[n * in + i] = x[n * in + i] > 0.0f ? sum : 0.0f;
    }
}

// One tile of grad_weight; the blocks of the first row of tiles also add up the bias.
__device__ __forceinline__ void weight_tile(float (*Xs)[TILE + 1], float (*Gs)[TILE + 1], const float* __restrict__ x,
                                            const float* __restrict__ grad_output, float* __restrict__ grad_weight,
                                            float* __restrict__ grad_bias, int i0, int o0, int batch, int in, int out) {
    int tx = threadIdx.x, ty = threadIdx.y;
    float sum = 0.0f, bias = 0.0f;
    for (int n0 = 0; n0 < batch; n0 += TILE) {
        bool row = n0 + ty < batch;
        Xs[ty][tx] = row && i0 + tx < in ? x[(n0 + ty) * in + i0 + tx] : 0.0f;
        Gs[ty][tx] = row && o0 + tx < out ? grad_output[(n0 + ty) * out + o0 + tx] : 0.0f;
        __syncthreads();
        for (int n = 0; n < TILE; ++n) sum += Xs[n][ty] * Gs[n][tx];
        if (ty == 0 && i0 == 0)
            for (int n = 0; n < TILE; ++n) bias += Gs[n][tx];
        __syncthreads();
    }
    if (i0 + ty < in && o0 + tx < out) grad_weight[(i0 + ty) * out + o0 + tx] = sum;
    if (ty == 0 && i0 == 0 && o0 + tx < out) grad_bias[o0 + tx] = bias;
}

// One tile of grad_input, masked.
__device__ __forceinline__ void input_tile(float (*Gs)[TILE + 1], float (*Ws)[TILE + 1], const float* __restrict__ grad_output,
                                           const float* __restrict__ W, const float* __restrict__ x,
                                           float* __restrict__ grad_input, int n0, int i0, int batch, int in, int out) {
    int tx = threadIdx.x, ty = threadIdx.y;
    float sum = 0.0f;
    for (int o0 = 0; o0 < out; o0 += TILE) {
        bool col = o0 + tx < out;
        Gs[ty][tx] = n0 + ty < batch && col ? grad_output[(n0 + ty) * out + o0 + tx] : 0.0f;
        Ws[ty][tx] = i0 + ty < in && col ? W[(i0 + ty) * out + o0 + tx] : 0.0f;
        __syncthreads();
        for (int o = 0; o < TILE; ++o) sum += Gs[ty][o] * Ws[tx][o];  // 17 floats a row: 16 rows lie in 16 banks
        __syncthreads();
    }
    int n = n0 + ty, i = i0 + tx;
    if (n < batch && i < in) grad_input[n * in + i] = x[n * in + i] > 0.0f ? sum : 0.0f;
}

extern "C" __global__ void linear_backward(const float* __restrict__ x, const float* __restrict__ W,
                                           const float* __restrict__ grad_output, float* __restrict__ grad_weight,
                                           float* __restrict__ grad_bias, float* __restrict__ grad_input,
                                           int batch, int in, int out) {
    __shared__ float left[TILE][TILE + 1];
    __shared__ float right[TILE][TILE + 1];
    int in_tiles = (in + TILE - 1) / TILE, out_tiles = (out + TILE - 1) / TILE;
    int tile = blockIdx.x;
    if (tile < in_tiles * out_tiles) {  // the same for all threads of a block: the barriers inside are safe
        weight_tile(left, right, x, grad_output, grad_weight, grad_bias, tile / out_tiles * TILE, tile % out_tiles * TILE,
                    batch, in, out);
    } else {
        tile -= in_tiles * out_tiles;
        input_tile(left, right, grad_output, W, x, grad_input, tile / in_tiles * TILE, tile % in_tiles * TILE, batch, in, out);
    }
}
