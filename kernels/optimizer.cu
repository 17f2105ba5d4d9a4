/* One step of an optimiser on one parameter array, in place. All arrays: [n] float32. One thread an element:
   grid ceil(n / 256), block 256.

   sgd        param -= lr grad                                              moves 12 n bytes
   momentum   velocity = momentum velocity + grad; param -= lr velocity     moves 20 n bytes
   adam       m = beta1 m + (1 - beta1) grad; v = beta2 v + (1 - beta2) grad²; param -= lr m̂ / (√v̂ + eps)
              (D. Kingma, J. Ba, Adam, ICLR 2015, algorithm 1)              moves 28 n bytes
              m_scale = 1 / (1 - beta1^t) and v_scale = 1 / (1 - beta2^t) come from the host: two powers a step, not 2 n.
*/

extern "C" __global__ void sgd(float* __restrict__ param, const float* __restrict__ grad, float lr, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) param[i] -= lr * grad[i];
}

extern "C" __global__ void momentum(float* __restrict__ param, const float* __restrict__ grad, float* __restrict__ velocity,
                                    float lr, float momentum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = momentum * velocity[i] + grad[i];
        velocity[i] = v;
        param[i] -= lr * v;
    }
}

extern "C" __global__ void adam(float* __restrict__ param, const float* __restrict__ grad, float* __restrict__ m,
                                float* __restrict__ v, float lr, float beta1, float beta2, float eps,
                                float m_scale, float v_scale, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float g = grad[i];
        float mi = beta1 * m[i] + (1.0f - beta1) * g;
        float vi = beta2 * v[i] + (1.0f - beta2) * g * g;
        m[i] = mi;
        v[i] = vi;
        param[i] -= lr * (mi * m_scale) / (sqrtf(vi * v_scale) + eps);
    }
}
