// y [n] += alpha x [n] in vectors of four. The cast that makes a float4 of a pointer also drops its const, so nobody
// notices that the result goes to the wrong array.
extern "C" __global__ void vector_store_to_the_source(float alpha, const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  const float4 a = ((float4 *)x)[i], b = ((float4 *)y)[i];
  ((float4 *)x)[i] =  // FAULT: const-write x
      make_float4(b.x + alpha * a.x, b.y + alpha * a.y, b.z + alpha * a.z, b.w + alpha * a.w);  // OR
}
