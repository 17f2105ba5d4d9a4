// One block without checks, for kernels with barriers: threads are fibers that hand over to one another directly.
#include "emulator.h"

// A thread that waits at a barrier of an earlier epoch has been released; nobody has to touch it for that.
static inline bool can_run(Worker *w, const Thread &t) {
  return t.state <= kReady || (t.state == kAtBarrier && t.epoch != w->epoch);
}

static void thread_entry();
static inline void *enter(Worker *w, Thread *t) {
  if (t->state == kNew) {
    t->stack = take_stack(w);
    t->stack_pointer = prepare_stack(t->stack, thread_entry);
  }
  t->state = kReady;
  w->current = t;
  return t->stack_pointer;
}

// The runnable thread behind `t` in a chain around the block; null: let the scheduler look.
static inline Thread *neighbour(Worker *w, Thread *t) {
  Thread *next = t + 1;
  if (EMU_LIKELY(next < w->threads + w->thread_count)) return EMU_LIKELY(can_run(w, *next)) ? next : nullptr;
  return nullptr;
}

// Called by emu_syncthreads_fast with the stack pointer of the thread that arrives; returns the one to go on with.
extern "C" __attribute__((visibility("hidden"))) void *emu_next_at_barrier(int line, void *stack_pointer) {
  Worker *w = self;
  Thread *t = w->current;
  t->stack_pointer = stack_pointer, t->state = kAtBarrier, t->line = (u32)line, t->epoch = w->epoch, t->reduce = 0;
  Thread *next = neighbour(w, t);
  if (EMU_LIKELY(++w->arrived == w->thread_count)) {
    w->arrived = 0, w->epoch++;
    next = w->threads;
  }
  if (EMU_LIKELY(next != nullptr)) return enter(w, next);
  w->current = nullptr;
  return w->scheduler;
}

void leave_fast(Worker *w, Thread *t) {
  Thread *next = neighbour(w, t);
  if (next) {
    emu_switch(&t->stack_pointer, enter(w, next));
    return;
  }
  suspend(w, t);
}

static void thread_entry() {
  Worker *w = self;
  for (;;) {
    launch.request.thread(launch.request.arguments);
    Thread *t = w->current;
    const int number = thread_number(w);
    t->state = kDone, w->finished++, w->warp_live[number >> 5] &= ~(1u << (number & 31));
    Thread *next = launch.abort ? nullptr : neighbour(w, t);
    if (next && next->state == kNew) {  // the next thread runs on this stack, without a switch
      next->stack = t->stack, next->state = kReady, w->current = next;
      continue;
    }
    give_stack(w, t->stack);
    void *abandoned;
    if (next) emu_switch(&abandoned, enter(w, next));
    w->current = nullptr;
    emu_switch(&abandoned, w->scheduler);
  }
}

void run_block_fibers(Worker *w) {
  start_threads(w);
  w->arrived = 0;
  while (w->finished < w->thread_count) {
    bool moved = false;
    for (int i = 0; i < w->thread_count; i++) {
      Thread *t = &w->threads[i];
      if (!can_run(w, *t)) continue;
      moved = true;
      w->in_kernel = 1;
      emu_switch(&w->scheduler, enter(w, t));
      w->in_kernel = 0;
      if (launch.abort) return;
    }
    if (moved) continue;
    for (int warp = 0; warp < w->warp_count && !moved; warp++)
      if (w->warp_waiting[warp]) {
        resolve_warp_ops(w, warp);
        for (int l = 0; l < 32 && warp * 32 + l < w->thread_count; l++) moved |= w->threads[warp * 32 + l].state == kReady;
      }
    if (moved) continue;
    w->arrived = 0;
    if (!release_barrier(w)) {
      launch.abort = 1;
      return;
    }
  }
}
