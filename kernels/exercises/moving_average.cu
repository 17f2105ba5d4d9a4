// out [n] = mean of each element of x [n] and of its neighbours; the first and the last element have one neighbour.
// One thread an element: grid ceil(n / 128), block 128.
extern "C" __global__ void moving_average(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION
    if (i >= n) return;
    int first = i > 0 ? i - 1 : 0;
    int last = i < n - 1 ? i + 1 : n - 1;
    // GIVEN INSTEAD
    // if (i > n) return;
    // int first = i - 1;
    // int last = i + 1;
    // END SOLUTION
    float sum = 0.0f;
    for (int k = first; k <= last; ++k) sum += x[k];
    out[i] = sum / (last - first + 1);
}
