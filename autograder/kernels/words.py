"""Which words a student's kernel may use, and which it may not: the tables behind ``lint``."""

from __future__ import annotations


def _words(text: str) -> list[str]:
    return text.split()


TYPES = frozenset(
    _words("void bool char short int long unsigned signed float double auto size_t ptrdiff_t")
    + _words("int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t")
    + _words("float2 float3 float4 int2 int3 int4 uint2 uint3 uint4 double2 uchar4 dim3")
)
TYPE_WORDS = TYPES | {"const", "volatile", "struct", "__restrict__"}

CONTROL = frozenset(("if", "for", "while", "switch"))
BEFORE_BRACKET = CONTROL | TYPES | frozenset(_words("return sizeof alignof static_assert else do case"))
"""Keywords that a round bracket may follow."""

KEYWORDS = TYPE_WORDS | BEFORE_BRACKET | frozenset(
    _words("default break continue constexpr static inline union enum class public private protected template typename")
    + _words("using typedef alignas static_cast reinterpret_cast true false nullptr this extern register")
)

ATTRIBUTES = frozenset(("__launch_bounds__", "__align__", "alignas", "sizeof", "alignof", "static_assert"))
"""What may be called outside of functions: the compiler answers, and nothing runs."""

_MATH = _words(
    "sqrt cbrt exp exp2 expm1 log log2 log10 log1p pow sin cos tan asin acos atan atan2 sinh cosh tanh asinh "
    "acosh atanh erf erfc fabs fmin fmax fmod fma floor ceil round rint nearbyint trunc copysign hypot fdim "
    "ldexp remainder"
)
_INTRINSICS = _words(
    "__expf __exp10f __logf __log2f __log10f __sinf __cosf __tanf __powf __fdividef __fdiv_rn __frcp_rn "
    "__fsqrt_rn __frsqrt_rn __fmaf_rn __fmul_rn __fadd_rn __fsub_rn __saturatef __popc __popcll __ffs __clz "
    "__mul24 __umulhi __float_as_int __float_as_uint __int_as_float __uint_as_float __float2int_rn "
    "__float2int_rz __float2int_rd __float2int_ru __int2float_rn __ldg __ldcg __ldcs __stcs rsqrtf rsqrt exp10f "
    "min max abs isnan isinf isfinite signbit"
)
_TOGETHER = _words(
    "__syncthreads __syncthreads_count __syncthreads_and __syncthreads_or __syncwarp __ballot_sync __any_sync "
    "__all_sync __match_any_sync __activemask __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync "
    "__shfl __shfl_up __shfl_down __shfl_xor "  # of HIP, inside #if
    "__threadfence __threadfence_block __threadfence_system __trap assert printf clock clock64"
)
_ATOMICS = [f"atomic{what}" for what in _words("Add Sub Exch Min Max And Or Xor CAS Inc Dec")]
_MAKERS = [f"make_{kind}" for kind in sorted(TYPES) if kind[-1] in "234"]
FUNCTIONS = frozenset([*_MATH, *(f"{name}f" for name in _MATH), *_INTRINSICS, *_TOGETHER, *_ATOMICS, *_MAKERS])
"""Functions of the device. Of C's mathematics those are missing that write through a pointer, as ``frexp`` does: that
write would be the C library's own, which nothing checks."""

UNDERSCORED = FUNCTIONS | frozenset(
    _words("__global__ __device__ __host__ __shared__ __constant__ __restrict__ __forceinline__ __noinline__")
    + _words("__launch_bounds__ __align__ __grid_constant__ __CUDA_ARCH__ __CUDACC__ __CUDACC_RTC__ __NVCC__ __HIP__")
    + _words("__HIPCC__ __HIPCC_RTC__ __HIP_PLATFORM_AMD__ __HIP_DEVICE_COMPILE__ __AMDGCN_WAVEFRONT_SIZE __cplusplus")
)
"""Names with two underscores are the compiler's; of those, these may stand in a kernel."""

BUILT_IN = frozenset(("threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"))

_LANGUAGE = _words(
    "asm goto operator new delete throw try catch virtual friend typeid decltype typeof thread_local const_cast "
    "dynamic_cast namespace std mutable concept requires co_await co_return co_yield import module export "
    "explicit"
)
_SYSTEM = _words(
    "system fork vfork execl execle execlp execv execve execvp execvpe exec popen pclose posix_spawn dlopen "
    "dlsym dlclose dlmopen mmap munmap mprotect mremap syscall ptrace prctl setrlimit socket fopen freopen "
    "fdopen openat creat exit _exit abort atexit quick_exit longjmp setjmp sigaction pthread_create malloc "
    "calloc realloc alloca getenv setenv unlink chmod chown chroot mount reboot main"
)
_UNCHECKED = _words(
    "memcpy memmove memset memccpy mempcpy memfrob memmem memchr memcmp bcopy bzero explicit_bzero swab strcpy "
    "strncpy strcat strncat strdup strndup strtok strtok_r stpcpy stpncpy strxfrm strfry strerror strerror_r "
    "strsep strlcpy strlcat strsignal strcoll strlen strnlen strcmp strchr strstr sprintf snprintf vprintf "
    "fprintf puts frexp frexpf frexpl modf modff modfl remquo remquof remquol sincos sincosf sincosl lgamma_r "
    "lgammaf_r lgammal_r nan nanf nanl signgam"
)
REFUSED = {
    **dict.fromkeys(_LANGUAGE, "is not for kernels here"),
    **dict.fromkeys(_SYSTEM, "belongs to the operating system, and a kernel has none"),
    **dict.fromkeys(_UNCHECKED, "works on memory that nobody checks: write the loop"),
}
"""Word → why it may not stand in a kernel, as anything."""
