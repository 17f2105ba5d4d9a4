/* ReLU, forward and backward. All arrays: [n] float32. One thread an element: grid ceil(n / 256), block 256.

   relu_forward             y = x where x > 0, else 0. NaN stays NaN: a broken input must not look like a healthy zero.
                            (fmaxf(x, 0) would return 0 for it.) Moves 8 n bytes.
   relu_backward            grad_input = grad_output where x > 0, else 0. Moves 12 n bytes.
   relu_backward_sign_bit   The same from the bits of x. The sign bit alone would not do: it is 0 at +0, where the
                            gradient stops, and may be 0 at a NaN. As unsigned integers the positive floats, infinity
                            included, are 0x00000001 to 0x7f800000: one subtraction and one comparison.
                            Moves the same 12 n bytes, so it takes the same time.
*/

extern "C" __global__ void relu_forward(const float* __restrict__ x, float* __restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        y[i] = v <= 0.0f ? 0.0f : v;  // false for NaN
    }
}

extern "C" __global__ void relu_backward(const float* __restrict__ grad_output, const float* __restrict__ x,
                                         float* __restrict__ grad_input, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float g = grad_output[i];
        grad_input[i] = x[i] > 0.0f ? g : 0.0f;
    }
}

extern "C" __global__ void relu_backward_sign_bit(const float* __restrict__ grad_output, const float* __restrict__ x,
                                                  float* __restrict__ grad_input, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned bits = __float_as_uint(x[i]);
        unsigned mask = bits - 1u <= 0x7f7fffffu ? 0xffffffffu : 0u;  // 0 - 1 wraps to the largest number: no
        grad_input[i] = __uint_as_float(__float_as_uint(grad_output[i]) & mask);
    }
}
