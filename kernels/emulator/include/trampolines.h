// How the runtime enters a kernel: a table of kernels, each with its parameters' sizes and a function that unpacks them.
// The build writes EMU_KERNELS_BEGIN EMU_KERNEL(name)... EMU_KERNELS_END behind the kernel's text.
#pragma once

#if defined(__clang__)
#define EMU_UNCHECKED __attribute__((noinline, no_sanitize("thread"), no_sanitize("coverage")))
#else
#define EMU_UNCHECKED __attribute__((noinline, no_sanitize("thread"), no_sanitize_coverage))
#endif

struct EmuParameter {
  char kind;  // 'p' pointer, 'i' signed, 'u' unsigned, 'f' floating, 's' struct
  char constant, floating, pad;
  int size;   // of the value, or of what a pointer points to
};
struct EmuPosition { uint3 block, block_dim, grid_dim; };
struct EmuKernel {
  const char *name;
  void (*thread)(void **);                       // one thread; null in a loop build
  void (*whole)(void **, const EmuPosition *);   // all threads of a block; null elsewhere
  const EmuParameter *parameters;
  int count, sync;  // sync: filled by the build, whether a barrier or a warp operation can be reached
};

template <class T> struct EmuIsFloat { static constexpr char v = 0; };
template <> struct EmuIsFloat<float> { static constexpr char v = 1; };
template <> struct EmuIsFloat<const float> { static constexpr char v = 1; };
template <> struct EmuIsFloat<float4> { static constexpr char v = 1; };
template <> struct EmuIsFloat<float2> { static constexpr char v = 1; };
template <class T, bool is_class> struct EmuValue {
  static constexpr EmuParameter v{T(0.5) != T(0) ? 'f' : (T(-1) < T(0) ? 'i' : 'u'), 0, EmuIsFloat<T>::v, 0, (int)sizeof(T)};
};
template <class T> struct EmuValue<T, true> { static constexpr EmuParameter v{'s', 0, 0, 0, (int)sizeof(T)}; };
template <class T> struct EmuDescribe : EmuValue<T, __is_class(T) || __is_union(T)> {};
template <class T> struct EmuDescribe<T *> { static constexpr EmuParameter v{'p', 0, EmuIsFloat<T>::v, 0, (int)sizeof(T)}; };
template <class T> struct EmuDescribe<const T *> { static constexpr EmuParameter v{'p', 1, EmuIsFloat<T>::v, 0, (int)sizeof(T)}; };
template <> struct EmuDescribe<void *> { static constexpr EmuParameter v{'p', 0, 0, 0, 1}; };
template <> struct EmuDescribe<const void *> { static constexpr EmuParameter v{'p', 1, 0, 0, 1}; };

template <int... I> struct EmuIndices {};
template <int N, int... I> struct EmuCount : EmuCount<N - 1, N - 1, I...> {};
template <int... I> struct EmuCount<0, I...> { typedef EmuIndices<I...> list; };

#if defined(EMU_LOOP)
// The build specialises this for kernels that it could rewrite (lanes.py): strip() runs EMU_LANES threads of a row of
// the block, or returns false before it has stored anything.
#define EMU_LANES 16
template <auto Function> struct EmuLanes { static constexpr bool exists = false; };
#endif

template <auto Function> struct EmuEntry;
template <class... A, void (*Function)(A...)> struct EmuEntry<Function> {
  static constexpr int count = sizeof...(A);
  static constexpr EmuParameter parameters[sizeof...(A) + 1] = {EmuDescribe<A>::v..., {0, 0, 0, 0, 0}};
#if defined(EMU_LOOP)
  // Values, not pointers to them: a store to a float* could otherwise change them, and nothing would vectorise.
  static void rows(A... values) {
    for (unsigned z = 0; z < emu_block_dim.z; ++z)
      for (unsigned y = 0; y < emu_block_dim.y; ++y) {
        emu_thread.y = y, emu_thread.z = z;
        const int width = (int)emu_block_dim.x;
        if constexpr (EmuLanes<Function>::exists) {
          for (int first = 0; first < width; first += EMU_LANES) {
            if (first + EMU_LANES <= width && EmuLanes<Function>::strip(values..., (unsigned)first, y, z)) continue;
            for (int x = first; x < width && x < first + EMU_LANES; ++x) emu_thread.x = (unsigned)x, Function(values...);
          }
          continue;
        }
#if !defined(__clang__)
#pragma GCC ivdep
#endif
        for (int x = 0; x < width; ++x) emu_thread.x = x, Function(values...);
      }
  }
  template <int... I> static void unpack(void **a, EmuIndices<I...>) { rows(*(A *)a[I]...); }
  static void whole(void **a, const EmuPosition *at) {
    emu_block = at->block, emu_block_dim = at->block_dim, emu_grid_dim = at->grid_dim;
    unpack(a, typename EmuCount<sizeof...(A)>::list());
  }
#else
  template <int... I> EMU_UNCHECKED static void unpack(void **a, EmuIndices<I...>) { Function(*(A *)a[I]...); }
  EMU_UNCHECKED static void thread(void **a) { unpack(a, typename EmuCount<sizeof...(A)>::list()); }
#endif
};

#define EMU_VISIBLE extern "C" __attribute__((visibility("default")))
#define EMU_KERNELS_BEGIN \
  thread_local char emu_shared_anchor[128] __attribute__((aligned(128))); \
  EMU_VISIBLE EMU_UNCHECKED void *emu_anchor() { return emu_shared_anchor; } \
  EMU_VISIBLE const EmuKernel emu_kernels[]; \
  const EmuKernel emu_kernels[] = {
#if defined(EMU_LOOP)
#define EMU_KERNEL(name, ...) {name, 0, &EmuEntry<&__VA_ARGS__>::whole, EmuEntry<&__VA_ARGS__>::parameters, EmuEntry<&__VA_ARGS__>::count, 0},
#else
#define EMU_KERNEL(name, ...) {name, &EmuEntry<&__VA_ARGS__>::thread, 0, EmuEntry<&__VA_ARGS__>::parameters, EmuEntry<&__VA_ARGS__>::count, 0},
#endif
#define EMU_KERNELS_END {0, 0, 0, 0, 0, 0}};
