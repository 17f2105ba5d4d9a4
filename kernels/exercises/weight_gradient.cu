// grad_weight [in, out] = x [batch, in] transposed times grad_output [batch, out], row-major: the sum over the batch of
// x[n, i] * grad_output[n, o] stands at [i, o]. Grid (ceil(out / 16), ceil(in / 16)), block (16, 16). Each block goes through
// the batch in steps of 16, with a tile of x and a tile of grad_output in shared memory and __syncthreads(); around them.
extern "C" __global__ void weight_gradient(const float* x, const float* grad_output, float* grad_weight,
                                           int batch, int in, int out) {
    // BEGIN SOLUTION
    __shared__ float x_tile[16][16], grad_tile[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, i0 = blockIdx.y * 16, o = blockIdx.x * 16 + tx;
    float sum = 0.0f;
    for (int n0 = 0; n0 < batch; n0 += 16) {
        bool row = n0 + ty < batch;
        x_tile[ty][tx] = row && i0 + tx < in ? x[(n0 + ty) * in + i0 + tx] : 0.0f;
        grad_tile[ty][tx] = row && o < out ? grad_output[(n0 + ty) * out + o] : 0.0f;
        __syncthreads();
        for (int n = 0; n < 16; ++n) sum += x_tile[n][ty] * grad_tile[n][tx];
        __syncthreads();
    }
    if (i0 + ty < in && o < out) grad_weight[(i0 + ty) * out + o] = sum;
    // GIVEN INSTEAD
    // __shared__ float tile[16][16];
    // int o = blockIdx.x * blockDim.x + threadIdx.x;
    // int i = blockIdx.y * blockDim.y + threadIdx.y;
    // if (i > in || o > out) return;
    // float sum = 0.0f;
    // for (int n = 0; n < batch; ++n) {
    //     tile[threadIdx.y][threadIdx.x] = x[n * in + i];
    //     sum += tile[threadIdx.y][threadIdx.x] * grad_output[n * out + o];
    // }
    // grad_weight[o * in + i] = sum;
    // END SOLUTION
}
