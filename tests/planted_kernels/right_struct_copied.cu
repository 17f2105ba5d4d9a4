// out [n] = particles [n] of 24 floats each, moved by their velocity and copied as one value through shared memory.
struct Particle {
  float position[3], velocity[3], rest[18];
};
extern "C" __global__ void right_struct_copied(const float *particles, float *out, float time) {
  __shared__ Particle local[32];
  const int i = blockIdx.x * 32 + threadIdx.x;
  local[threadIdx.x] = reinterpret_cast<const Particle *>(particles)[i];
  __syncthreads();
  Particle p = local[31 - threadIdx.x];
  for (int d = 0; d < 3; ++d) p.position[d] += time * p.velocity[d];
  reinterpret_cast<Particle *>(out)[i] = p;
}
