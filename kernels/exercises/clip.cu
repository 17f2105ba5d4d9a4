// x [n] in place: below -limit becomes -limit, above limit becomes limit.
// Any grid, any block: each thread takes element i, then i + (all threads of the grid), and so on to the end.
// Reads and writes 4 bytes for each element.
extern "C" __global__ void clip(float* x, float limit, int n) {
    // BEGIN SOLUTION
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = fminf(fmaxf(x[i], -limit), limit);
    // END SOLUTION
}
