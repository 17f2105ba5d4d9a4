// One block under check: warp after warp, lane after lane, each as far as it can go before it must wait.
#include "emulator.h"

static const u32 kPoison = 0xff;  // a float of 0xffffffff is NaN

static inline void set_current(Worker *w, Thread *t) {
  w->current = t, w->stack_lo = (word)t->stack;
  LaneLog &g = w->lanes[thread_number(w) & 31];
  w->log = g.next, w->log_end = g.begin + w->window, w->hash = g.hash;
}
// The next lane of the running warp that has not begun: the fiber of a lane that ended runs it without a switch.
static Thread *next_new_lane(Worker *w) {
  for (; w->next_lane < 32; w->next_lane++) {
    const int t = w->running_warp * 32 + w->lane_order[w->next_lane];
    if (t < w->thread_count && w->threads[t].state == kNew) return &w->threads[t];
  }
  return nullptr;
}

static void thread_entry() {
  Worker *w = self;
  for (;;) {
    launch.request.thread(launch.request.arguments);
    Thread *t = w->current;
    if (w->nan_address) finish_nan(w);
    const int number = thread_number(w);
    t->state = kDone, w->finished++, w->warp_live[number >> 5] &= ~(1u << (number & 31));
    w->lanes[number & 31].next = w->log, w->lanes[number & 31].hash = w->hash;
    Thread *next = launch.abort ? nullptr : next_new_lane(w);
    if (!next) {
      give_stack(w, t->stack);
      w->current = nullptr;
      void *abandoned;
      emu_switch(&abandoned, w->scheduler);
    }
    next->stack = t->stack, next->state = kReady, w->steps_left = launch.request.step_limit;
    set_current(w, next);
  }
}

static void resume(Worker *w, Thread *t) {
  if (t->state == kNew) {
    t->stack = take_stack(w);
    t->stack_pointer = prepare_stack(t->stack, thread_entry);
    t->steps = launch.request.step_limit;
  }
  t->state = kReady, w->steps_left = t->steps;
  set_current(w, t);
  w->in_kernel = 1;
  emu_switch(&w->scheduler, t->stack_pointer);
  w->in_kernel = 0;
  if (w->nan_address) finish_nan(w);
}

// A lane's log is full: let the others of its warp catch up.
void yield_full(Worker *w) {
  Thread *t = w->current;
  t->state = kFull, w->window_full = 1;
  suspend(w, t);
}

static bool runnable(Worker *w, int warp) {
  for (int l = 0; l < 32 && warp * 32 + l < w->thread_count; l++)
    if (w->threads[warp * 32 + l].state <= kReady) return true;
  return false;
}

// Every lane of the warp has done what it could. Count what they did, or, where full logs differ, give them room for
// longer traces that may meet again; returns true in that case.
static bool close_window(Worker *w, int warp) {
  bool grown = false;
  if (w->window_full && !uniform(w) && w->window < kLaneEvents) {
    w->window *= 2, grown = true;
  } else {
    if (w->window_full && !uniform(w)) w->cut_windows++;
    replay(w);
    w->window = kLaneWindow;
  }
  for (int l = 0; l < 32 && warp * 32 + l < w->thread_count; l++)
    if (w->threads[warp * 32 + l].state == kFull) w->threads[warp * 32 + l].state = kReady;
  w->window_full = 0;
  return grown;
}

// Returns whether any lane moved. The logs are empty when it returns: the next warp uses the same ones.
static bool run_warp(Worker *w, int warp) {
  bool moved = false;
  w->running_warp = warp;
  for (;;) {
    w->next_lane = 0, w->together = 0;
    bool any = false;
    for (int i = 0; i < 32 && !w->together; i++) {
      const int t = warp * 32 + w->lane_order[i];
      if (t >= w->thread_count || w->threads[t].state > kReady) continue;
      any = true;
      resume(w, &w->threads[t]);
      if (launch.abort) return true;
    }
    moved |= any;
    if (!any && w->warp_waiting[warp]) resolve_warp_ops(w, warp);  // an exit may have completed an operation
    if (w->together) {  // a warp operation has released all lanes: count before they run on
      replay(w);
      w->window = kLaneWindow;
    } else if (!runnable(w, warp)) {
      const bool full = w->window_full;
      if (!close_window(w, warp)) return moved || full;
    }
  }
}

void start_threads(Worker *w) {
  unsigned x = 0, y = 0, z = 0;
  const uint3 size = launch.request.block;
  for (int i = 0; i < w->thread_count; i++) {
    Thread &t = w->threads[i];
    t.state = kNew, t.index = uint3{x, y, z};
    if (++x == size.x) {
      x = 0;
      if (++y == size.y) y = 0, z++;
    }
  }
  for (int i = 0; i < w->warp_count; i++) {
    const int lanes = w->thread_count - i * 32;
    w->last_block[i] = -1;
    w->warp_live[i] = lanes >= 32 ? ~0u : (1u << lanes) - 1, w->warp_waiting[i] = 0;
    if (w->clocks_used[i]) memset(w->clocks[i], 0, sizeof w->clocks[i]), w->clocks_used[i] = 0;
  }
  w->epoch++, w->finished = 0, w->window = kLaneWindow, w->warps_run += w->warp_count;
}

static void poison_shared(Worker *w) {
  for (int i = 0; i < launch.module->shared_count; i++) {
    const Region &r = w->shared_regions[i];
    memset((void *)r.lo, kPoison, r.hi - r.lo);
  }
}

void next_epoch(Worker *w) {
  w->epoch++;
  for (int i = 0; i < w->warp_count; i++)
    if (w->clocks_used[i]) memset(w->clocks[i], 0, sizeof w->clocks[i]), w->clocks_used[i] = 0;
}

// Nobody can move: all have arrived at one barrier, or something is wrong. A barrier is known by where it is called: one
// in a device function that two branches call is two. Returns false if the launch must end.
bool release_barrier(Worker *w) {
  Thread *waiting = nullptr, *elsewhere = nullptr, *stuck = nullptr, *done = nullptr;
  int count = 0, all = 1, any = 0, arrived = 0;
  for (int i = 0; i < w->thread_count; i++) {
    Thread &t = w->threads[i];
    if (t.state == kDone && !done) done = &t;
    if (t.state == kAtWarpOp && !stuck) stuck = &t;
    if (t.state != kAtBarrier) continue;
    if (!waiting) waiting = &t;
    else if (t.return_address != waiting->return_address && !elsewhere) elsewhere = &t;
    arrived++, count += t.predicate, all &= t.predicate, any |= t.predicate;
  }
  Fault *f = nullptr;
  if (stuck) {
    w->current = stuck;
    f = add_fault(w, kWarp, line_of(launch.module, stuck->return_address), waiting ? (int)waiting->line : 0, -1, stuck->mask);
    f->detail = kDeadlock;
    u32 missing = stuck->mask & ~w->warp_waiting[(stuck - w->threads) >> 5];
    f->extra = missing ? __builtin_ctz(missing) : -1;
  } else if (elsewhere) {
    w->current = waiting;
    f = add_fault(w, kBarrier, (int)waiting->line, (int)elsewhere->line, -1, 0);
    f->detail = kOtherBarrier, f->other_thread = (int)(elsewhere - w->threads);
  } else if (done) {
    w->current = waiting;
    f = add_fault(w, kBarrier, (int)waiting->line, 0, -1, arrived);
    f->detail = kSomeExited, f->other_thread = (int)(done - w->threads), f->extra = w->thread_count - arrived;
  }
  w->current = nullptr;
  if (f && launch.request.checked) {
    launch.abort = 1;
    return false;
  }
  for (int i = 0; i < w->thread_count; i++) {
    Thread &t = w->threads[i];
    if (t.state != kAtBarrier) continue;
    t.state = kReady, t.result = (u64)(t.reduce == 1 ? count : t.reduce == 2 ? all : any);
  }
  w->barriers += w->warp_count;
  next_epoch(w);
  return !stuck;
}

void run_block_checked(Worker *w) {
  start_threads(w);
  poison_shared(w);
  while (w->finished < w->thread_count) {
    bool moved = false;
    for (int k = 0; k < w->warp_count; k++) {
      moved |= run_warp(w, w->warp_order[k]);
      if (launch.abort) return;
    }
    if (!moved && !release_barrier(w)) return;
  }
}
