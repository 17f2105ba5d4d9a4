// CUDA C++'s device language for a host compiler. Force-included in front of a kernel's text, which stays unchanged.
//
// Three builds share this header:
//   EMU_CHECKED  every access calls a hook of the runtime, threads are fibers
//   EMU_FIBERS   fast, for kernels with barriers: threads are fibers
//   EMU_LOOP     fast, for kernels without: a block is a plain loop over its threads that the compiler may vectorise
// Whatever must know its own source line (atomics, barriers, shuffles) is declared here and defined in the runtime: the
// call stays in the kernel, so its return address belongs to the kernel's line.
#pragma once
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// NVRTC has no <math.h>: a text that uses its macros would compile here and nowhere else.
#undef INFINITY
#undef NAN
#undef M_PI

#define __CUDA_ON_CPU__ 1
#define EMU_INLINE static inline __attribute__((always_inline))
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define __noinline__ __attribute__((noinline))
#define __managed__ emu_unsupported_managed_memory
// 128 bytes: every array starts at bank 0, as the counters assume. `extern thread_local T s[]` is dynamic shared memory;
// the build gives it its bytes.
#define __shared__ thread_local __attribute__((aligned(128)))
#define __constant__ __attribute__((section("emu_constant")))
#define warpSize 32

struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

#if defined(EMU_LOOP)
// Separate variables, not one struct: gcc 12 vectorises the thread loop only then.
#define __global__ inline __attribute__((always_inline))
static thread_local uint3 emu_thread, emu_block, emu_block_dim, emu_grid_dim;
#define threadIdx emu_thread
#define blockIdx emu_block
#define blockDim emu_block_dim
#define gridDim emu_grid_dim
#else
#define __global__ __attribute__((noinline, used))
extern "C" {  // `const`: the answer never changes while one thread runs
uint3 emu_thread_index() __attribute__((const, nothrow));
uint3 emu_block_index() __attribute__((const, nothrow));
uint3 emu_block_size() __attribute__((const, nothrow));
uint3 emu_grid_size() __attribute__((const, nothrow));
}
#define threadIdx (emu_thread_index())
#define blockIdx (emu_block_index())
#define blockDim (emu_block_size())
#define gridDim (emu_grid_size())
#endif

// ---- barriers, votes and shuffles: defined in runtime/warp.cpp -------------------------------------------------------
// __LINE__ keeps the compiler from folding two barriers into one.
extern "C" {
#if defined(__clang__)
#define EMU_ONCE __attribute__((noduplicate))  // a barrier is known by its place in the machine code
#else
#define EMU_ONCE
#endif
EMU_ONCE void emu_syncthreads_checked(int line);
void emu_syncthreads_fast(int line);
EMU_ONCE int emu_syncthreads_count(int line, int predicate);
EMU_ONCE int emu_syncthreads_and(int line, int predicate);
EMU_ONCE int emu_syncthreads_or(int line, int predicate);
void emu_syncwarp(unsigned mask);
unsigned emu_ballot(unsigned mask, int predicate);
uint64_t emu_shuffle(unsigned mask, uint64_t bits, int mode, int argument, int width);
unsigned emu_match_any(unsigned mask, uint64_t bits);
void emu_threadfence();
int emu_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
void emu_trap(const char *what) __attribute__((noreturn));
long long emu_clock();
}
#if defined(EMU_CHECKED)
#define __syncthreads() emu_syncthreads_checked(__LINE__)
#else
#define __syncthreads() emu_syncthreads_fast(__LINE__)
#endif
#define __syncthreads_count(p) emu_syncthreads_count(__LINE__, (p) != 0)
#define __syncthreads_and(p) emu_syncthreads_and(__LINE__, (p) != 0)
#define __syncthreads_or(p) emu_syncthreads_or(__LINE__, (p) != 0)
#define EMU_MASK_OR_ALL(...) emu_mask_or_all(__VA_ARGS__)
EMU_INLINE unsigned emu_mask_or_all(unsigned mask = 0xffffffffu) { return mask; }
#define __syncwarp(...) emu_syncwarp(emu_mask_or_all(__VA_ARGS__))
#define __ballot_sync(mask, p) emu_ballot(mask, (p) != 0)
#define __any_sync(mask, p) (emu_ballot(mask, (p) != 0) != 0)
#define __all_sync(mask, p) (emu_ballot(mask, (p) == 0) == 0)
#define __match_any_sync(mask, v) emu_match_any(mask, emu_bits(v))
#define __threadfence() emu_threadfence()
#define __threadfence_block() ((void)0)
#define __threadfence_system() emu_threadfence()
#define printf(...) emu_printf(__VA_ARGS__)
#define __trap() emu_trap("__trap()")
#define assert(condition) ((condition) ? (void)0 : emu_trap("assert(" #condition ")"))
#define clock64() emu_clock()
#define clock() emu_clock()

template <class T> EMU_INLINE uint64_t emu_bits(T value) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T> EMU_INLINE T emu_value(uint64_t bits, T) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}
#define EMU_WIDTH(...) emu_width(__VA_ARGS__)
EMU_INLINE int emu_width(int width = 32) { return width; }
#define EMU_SHUFFLE(mode, mask, v, argument, ...) \
  emu_value(emu_shuffle(mask, emu_bits(v), mode, (int)(argument), emu_width(__VA_ARGS__)), v)
#define __shfl_sync(mask, v, ...) EMU_SHUFFLE(0, mask, v, __VA_ARGS__)
#define __shfl_up_sync(mask, v, ...) EMU_SHUFFLE(1, mask, v, __VA_ARGS__)
#define __shfl_down_sync(mask, v, ...) EMU_SHUFFLE(2, mask, v, __VA_ARGS__)
#define __shfl_xor_sync(mask, v, ...) EMU_SHUFFLE(3, mask, v, __VA_ARGS__)

// Known, and not modelled: the compiler's message says so in the kernel's own line.
void emu_unsupported_activemask() __attribute__((error("the CPU emulator has no __activemask(): pass the mask along")));
#define __activemask() (emu_unsupported_activemask(), 0u)

// ---- atomics: defined in runtime/atomics.cpp -------------------------------------------------------------------------
#define EMU_ATOMIC(T) T atomicAdd(T *, T); T atomicExch(T *, T);
EMU_ATOMIC(int) EMU_ATOMIC(unsigned) EMU_ATOMIC(unsigned long long) EMU_ATOMIC(float)
double atomicAdd(double *, double);
int atomicSub(int *, int);
unsigned atomicSub(unsigned *, unsigned);
#define EMU_ATOMIC_INTEGER(T) T atomicMin(T *, T); T atomicMax(T *, T); T atomicAnd(T *, T); T atomicOr(T *, T); \
  T atomicXor(T *, T); T atomicCAS(T *, T, T);
EMU_ATOMIC_INTEGER(int) EMU_ATOMIC_INTEGER(unsigned) EMU_ATOMIC_INTEGER(unsigned long long)
unsigned atomicInc(unsigned *, unsigned);
unsigned atomicDec(unsigned *, unsigned);
#undef EMU_ATOMIC
#undef EMU_ATOMIC_INTEGER

// ---- vector types ----------------------------------------------------------------------------------------------------
// A float4 must be read and written as one access of 16 bytes. gcc splits a plain struct into four scalars, so there it
// is a union with a vector (trivial, hence allowed in __shared__ arrays); clang splits that too, so there the copy goes
// through a vector type, in functions without debug lines of their own.
#if defined(__clang__)
#define EMU_COPY(N, T, n) N() = default; \
  __attribute__((always_inline, nodebug)) N(const N &o) { emu_copy(o); } \
  __attribute__((always_inline, nodebug)) N &operator=(const N &o) { emu_copy(o); return *this; } \
  __attribute__((always_inline, nodebug)) void emu_copy(const N &o) { \
    typedef T V __attribute__((vector_size(n * sizeof(T)), may_alias)); *(V *)this = *(const V *)&o; }
#define EMU_VECTOR2(N, T) struct __attribute__((aligned(2 * sizeof(T)))) N { T x, y; \
  constexpr N(T a, T b) : x(a), y(b) {} EMU_COPY(N, T, 2) }; \
  EMU_INLINE N make_##N(T a, T b) { return N(a, b); }
#define EMU_VECTOR4(N, T) struct __attribute__((aligned(4 * sizeof(T)))) N { T x, y, z, w; \
  constexpr N(T a, T b, T c, T d) : x(a), y(b), z(c), w(d) {} EMU_COPY(N, T, 4) }; \
  EMU_INLINE N make_##N(T a, T b, T c, T d) { return N(a, b, c, d); }
#else
#define EMU_VECTOR2(N, T) struct __attribute__((aligned(2 * sizeof(T)))) N { \
  union { struct { T x, y; }; T emu_all __attribute__((vector_size(2 * sizeof(T)))); }; }; \
  EMU_INLINE N make_##N(T a, T b) { N r; r.x = a; r.y = b; return r; }
#define EMU_VECTOR4(N, T) struct __attribute__((aligned(4 * sizeof(T)))) N { \
  union { struct { T x, y, z, w; }; T emu_all __attribute__((vector_size(4 * sizeof(T)))); }; }; \
  EMU_INLINE N make_##N(T a, T b, T c, T d) { N r; r.x = a; r.y = b; r.z = c; r.w = d; return r; }
#endif
EMU_VECTOR2(float2, float) EMU_VECTOR2(int2, int) EMU_VECTOR2(uint2, unsigned) EMU_VECTOR2(double2, double)
EMU_VECTOR4(float4, float) EMU_VECTOR4(int4, int) EMU_VECTOR4(uint4, unsigned) EMU_VECTOR4(uchar4, unsigned char)
struct float3 { float x, y, z; };
EMU_INLINE float3 make_float3(float x, float y, float z) { return {x, y, z}; }
struct int3 { int x, y, z; };
EMU_INLINE int3 make_int3(int x, int y, int z) { return {x, y, z}; }

// ---- arithmetic ------------------------------------------------------------------------------------------------------
#define __ldg(p) (*(p))
#define __ldcg(p) (*(p))
#define __ldcs(p) (*(p))
#define __stcs(p, v) (*(p) = (v))
EMU_INLINE float emu_rsqrtf(float x) { return 1.0f / sqrtf(x); }
#define rsqrtf(x) emu_rsqrtf(x)  // macros: some C libraries declare these names themselves
#define __frsqrt_rn(x) emu_rsqrtf(x)
#define __expf(x) expf(x)
#define __exp10f(x) exp10f(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __powf(x, y) powf(x, y)
#define __fdividef(x, y) ((float)(x) / (float)(y))
#define __fdiv_rn(x, y) ((float)(x) / (float)(y))
#define __frcp_rn(x) (1.0f / (float)(x))
#define __fsqrt_rn(x) sqrtf(x)
#define __fmaf_rn(a, b, c) __builtin_fmaf(a, b, c)
EMU_INLINE float emu_apart(float x) { __asm__("" : "+x"(x)); return x; }  // hides a product, so that it is not fused
#if defined(__aarch64__)
EMU_INLINE float emu_apart_arm(float x) { __asm__("" : "+w"(x)); return x; }
#define emu_apart emu_apart_arm
#endif
#define __fmul_rn(a, b) emu_apart((float)(a) * (float)(b))
#define __fadd_rn(a, b) emu_apart((float)(a) + (float)(b))
#define __fsub_rn(a, b) emu_apart((float)(a) - (float)(b))
EMU_INLINE float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
EMU_INLINE int __popc(unsigned x) { return __builtin_popcount(x); }
EMU_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
EMU_INLINE int __ffs(int x) { return __builtin_ffs(x); }
EMU_INLINE int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
EMU_INLINE int __mul24(int a, int b) { return a * b; }
EMU_INLINE unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
EMU_INLINE int __float_as_int(float x) { int r; __builtin_memcpy(&r, &x, 4); return r; }
EMU_INLINE unsigned __float_as_uint(float x) { unsigned r; __builtin_memcpy(&r, &x, 4); return r; }
EMU_INLINE float __int_as_float(int x) { float r; __builtin_memcpy(&r, &x, 4); return r; }
EMU_INLINE float __uint_as_float(unsigned x) { float r; __builtin_memcpy(&r, &x, 4); return r; }
EMU_INLINE int __float2int_rn(float x) { return (int)rintf(x); }
EMU_INLINE int __float2int_rz(float x) { return (int)x; }
EMU_INLINE int __float2int_rd(float x) { return (int)floorf(x); }
EMU_INLINE int __float2int_ru(float x) { return (int)ceilf(x); }
EMU_INLINE float __int2float_rn(int x) { return (float)x; }
#define EMU_MIN_MAX(T) EMU_INLINE T min(T a, T b) { return b < a ? b : a; } EMU_INLINE T max(T a, T b) { return a < b ? b : a; }
EMU_MIN_MAX(int) EMU_MIN_MAX(unsigned) EMU_MIN_MAX(long) EMU_MIN_MAX(unsigned long)
EMU_MIN_MAX(long long) EMU_MIN_MAX(unsigned long long)
EMU_INLINE float min(float a, float b) { return fminf(a, b); }
EMU_INLINE float max(float a, float b) { return fmaxf(a, b); }
EMU_INLINE double min(double a, double b) { return fmin(a, b); }
EMU_INLINE double max(double a, double b) { return fmax(a, b); }
#define EMU_MIXED(S, U) EMU_INLINE U min(S a, U b) { return min((U)a, b); } EMU_INLINE U min(U a, S b) { return min(a, (U)b); } \
  EMU_INLINE U max(S a, U b) { return max((U)a, b); } EMU_INLINE U max(U a, S b) { return max(a, (U)b); }
EMU_MIXED(int, unsigned) EMU_MIXED(long, unsigned long) EMU_MIXED(long long, unsigned long long)
EMU_MIXED(float, double)

#include "trampolines.h"
