// Where threads wait for each other: __syncthreads() and its forms, __syncwarp(), shuffles and votes.
#include "emulator.h"
#include <stdarg.h>
#include <stdio.h>

#define HERE ((word)__builtin_return_address(0))

// ---- block-wide barriers ---------------------------------------------------------------------------------------------
static int wait_for_block(int line, int reduce, int predicate, word from) {
  Worker *w = self;
  Thread *t = w->current;
  t->state = kAtBarrier, t->line = (u32)line, t->return_address = from, t->epoch = w->epoch, t->reduce = reduce, t->predicate = predicate;
  suspend(w, t);
  return (int)t->result;
}
EMU_API void emu_syncthreads_checked(int line) { wait_for_block(line, 0, 0, HERE); }
EMU_API int emu_syncthreads_count(int line, int p) { return wait_for_block(line, 1, p, HERE); }
EMU_API int emu_syncthreads_and(int line, int p) { return wait_for_block(line, 2, p, HERE); }
EMU_API int emu_syncthreads_or(int line, int p) { return wait_for_block(line, 3, p, HERE); }

// ---- operations of a warp --------------------------------------------------------------------------------------------
static void order_memory(Worker *w, int warp, u32 group) {  // __syncwarp(): each lane of the group has seen the others
  u16 (*clocks)[32] = w->clocks[warp];
  w->clocks_used[warp] = 1;
  u16 latest[32] = {0};
  bool full = false;
  for (u32 m = group; m; m &= m - 1) {
    const int l = __builtin_ctz(m);
    if (++clocks[l][l] == 0xffff) full = true;
    for (int i = 0; i < 32; i++) if (clocks[l][i] > latest[i]) latest[i] = clocks[l][i];
  }
  for (u32 m = group; m; m &= m - 1) memcpy(clocks[__builtin_ctz(m)], latest, sizeof latest);
  if (full) next_epoch(w);  // after 65,535 of them: what went before counts as ordered
}

static int source_lane(const Thread &t, int lane) {
  const int width = t.width, first = lane & ~(width - 1), n = t.argument;
  int from = lane;
  if (t.op == kShuffleIndex) from = first + (n & (width - 1));
  if (t.op == kShuffleUp && lane - n >= first) from = lane - n;
  if (t.op == kShuffleDown && lane + n < first + width) from = lane + n;
  if (t.op == kShuffleXor && (lane ^ n) < first + width) from = lane ^ n;
  return from & 31;
}

static void answer(Worker *w, int warp, u32 group, WarpOp op) {
  Thread *lanes = w->threads + warp * 32;
  u32 ballot = 0;
  for (u32 m = group; m; m &= m - 1) if (lanes[__builtin_ctz(m)].value) ballot |= 1u << __builtin_ctz(m);
  for (u32 m = group; m; m &= m - 1) {
    const int l = __builtin_ctz(m);
    Thread &t = lanes[l];
    t.state = kReady, w->warp_waiting[warp] &= ~(1u << l);
    if (op == kBallot) t.result = ballot;
    if (op == kMatch) {
      t.result = 0;
      for (u32 k = group; k; k &= k - 1) if (lanes[__builtin_ctz(k)].value == t.value) t.result |= 1u << __builtin_ctz(k);
    }
    if (op > kShuffleXor) continue;
    const int from = source_lane(t, l);
    t.result = lanes[from].value;
    if (group >> from & 1) continue;
    t.result = 0x7fc00000deadull;  // what a GPU returns here is undefined
    Thread *before = w->current;
    w->current = &t;
    Fault *f = add_fault(w, kWarp, line_of(launch.module, t.return_address), 0, -1, from);
    f->detail = kAbsentLane;
    w->current = before;
  }
  if (op == kSyncWarp && launch.request.checked) order_memory(w, warp, group);
}

// Let each group of lanes go on whose operation has all its living lanes.
void resolve_warp_ops(Worker *w, int warp) {
  Thread *lanes = w->threads + warp * 32;
  for (u32 pending = w->warp_waiting[warp]; pending;) {
    const Thread &first = lanes[__builtin_ctz(pending)];
    const u32 wanted = first.mask & w->warp_live[warp];
    u32 group = 0;
    for (u32 m = wanted & w->warp_waiting[warp]; m; m &= m - 1) {
      const Thread &t = lanes[__builtin_ctz(m)];
      if (t.op == first.op && t.mask == first.mask) group |= 1u << __builtin_ctz(m);
    }
    pending &= ~(group | 1u << __builtin_ctz(pending));
    if (group != wanted) continue;
    // All lanes of the warp stand at one point: a good place to count what they did.
    if (group == w->warp_live[warp]) w->together = 1;
    answer(w, warp, group, (WarpOp)first.op);
  }
}

static u64 warp_op(WarpOp op, u32 mask, u64 value, int argument, int width, word from) {
  Worker *w = self;
  Thread *t = w->current;
  const int number = thread_number(w), warp = number >> 5, lane = number & 31;
  if (!(mask >> lane & 1)) {
    add_fault(w, kWarp, line_of(launch.module, from), 0, -1, mask)->detail = kLaneNotInMask;
    stop(w);
  }
  t->state = kAtWarpOp, t->op = op, t->mask = mask, t->value = value, t->argument = argument, t->width = (u16)width;
  t->return_address = from;
  w->warp_waiting[warp] |= 1u << lane;
  if (!(mask & w->warp_live[warp] & ~w->warp_waiting[warp])) resolve_warp_ops(w, warp);
  if (w->counting) suspend(w, t);
  else if (t->state == kAtWarpOp) leave_fast(w, t);  // uncounted, the last lane to come goes straight on
  return t->result;
}
EMU_API void emu_syncwarp(unsigned mask) { warp_op(kSyncWarp, mask, 0, 0, 32, HERE); }
EMU_API unsigned emu_ballot(unsigned mask, int p) { return (unsigned)warp_op(kBallot, mask, p != 0, 0, 32, HERE); }
EMU_API u64 emu_shuffle(unsigned mask, u64 bits, int mode, int argument, int width) {
  return warp_op((WarpOp)mode, mask, bits, argument, width, HERE);
}
EMU_API unsigned emu_match_any(unsigned mask, u64 bits) { return (unsigned)warp_op(kMatch, mask, bits, 0, 32, HERE); }

// ---- what else a kernel may call -------------------------------------------------------------------------------------
EMU_API long long emu_clock() {
#if defined(__x86_64__)
  return (long long)__builtin_ia32_rdtsc();
#else
  long long ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#endif
}

// As much as CUDA's own buffer holds by default: 1 MB.
static const int kPrinted = 1 << 20;
static char *printed;
static volatile int printed_bytes;
void printf_clear() { printed_bytes = 0; }
EMU_API const char *emu_printed(int *bytes) {
  *bytes = printed_bytes < kPrinted ? printed_bytes : kPrinted;
  return printed;
}
void printf_start() {
  if (!printed) printed = (char *)malloc(kPrinted + 1);
}
EMU_API int emu_printf(const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length < 0) return length;
  if (length >= (int)sizeof text) length = sizeof text - 1;
  const int at = __atomic_fetch_add(&printed_bytes, length, __ATOMIC_RELAXED);
  if (at + length <= kPrinted) {
    memcpy(printed + at, text, (size_t)length);
  } else {
    __atomic_fetch_sub(&printed_bytes, length, __ATOMIC_RELAXED);
    add_fault(self, kPrintf, line_of(launch.module, HERE), 0, -1, kPrinted);
  }
  return length;
}

static char trap_text[256];
EMU_API const char *emu_trap_text() { return trap_text; }
EMU_API __attribute__((noreturn)) void emu_trap(const char *what) {
  Worker *w = self;
  snprintf(trap_text, sizeof trap_text, "%s", what);
  add_fault(w, kTrap, line_of(launch.module, HERE), 0, -1, 0);
  stop(w);
}
