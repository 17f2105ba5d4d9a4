// Atomic read-modify-writes. The CPU's own atomics: blocks of one launch run on several cores.
#include "emulator.h"

void atomic_access(word address, int size, word return_address);
#define HERE ((word)__builtin_return_address(0))
#define VISIBLE __attribute__((visibility("default")))

// Replace the T at p by next(old) and return old; T is moved through an integer of its size.
template <class T, class I, class F> static inline T update(T *p, word from, F next) {
  atomic_access((word)p, sizeof(T), from);
  I old_bits = __atomic_load_n((I *)p, __ATOMIC_RELAXED), new_bits;
  T old;
  do {
    memcpy(&old, &old_bits, sizeof(T));
    const T value = next(old);
    memcpy(&new_bits, &value, sizeof(T));
  } while (!__atomic_compare_exchange_n((I *)p, &old_bits, new_bits, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return old;
}
typedef unsigned long long ull;
#define ATOMIC(name, T, I, expression) \
  VISIBLE T name(T *p, T v) { return update<T, I>(p, HERE, [v](T old) -> T { return expression; }); }
#define EVERY(T, I) ATOMIC(atomicAdd, T, I, old + v) ATOMIC(atomicExch, T, I, ((void)old, v))
EVERY(int, u32) EVERY(unsigned, u32) EVERY(ull, u64) EVERY(float, u32)
ATOMIC(atomicAdd, double, u64, old + v)
ATOMIC(atomicSub, int, u32, old - v)
ATOMIC(atomicSub, unsigned, u32, old - v)
#define INTEGER(T, I) \
  ATOMIC(atomicMin, T, I, v < old ? v : old) ATOMIC(atomicMax, T, I, old < v ? v : old) \
  ATOMIC(atomicAnd, T, I, old & v) ATOMIC(atomicOr, T, I, old | v) ATOMIC(atomicXor, T, I, old ^ v) \
  VISIBLE T atomicCAS(T *p, T compare, T v) { \
    return update<T, I>(p, HERE, [compare, v](T old) -> T { return old == compare ? v : old; }); }
INTEGER(int, u32) INTEGER(unsigned, u32) INTEGER(ull, u64)
ATOMIC(atomicInc, unsigned, u32, old >= v ? 0u : old + 1)
ATOMIC(atomicDec, unsigned, u32, old == 0 || old > v ? v : old - 1)
