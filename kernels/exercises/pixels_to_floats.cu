// out [n] = x [n] / 255: the bytes of an image as numbers from 0 to 1.
// One thread an element: grid ceil(n / 256), block 256. Reads 1 byte and writes 4 for each element.
extern "C" __global__ void pixels_to_floats(const unsigned char* x, float* out, int n) {
    // BEGIN SOLUTION
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel < n) out[pixel] = x[pixel] / 255.0f;
    // END SOLUTION
}
