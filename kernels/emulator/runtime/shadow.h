// Races and uninitialised reads, seen from a record per four bytes: who wrote last, which lanes read last, and one more
// reader. A kernel file that touches single bytes or halves of words has a record per byte (Module.granule).
//
// Two accesses of different threads conflict when one writes (or only one is atomic) and nothing orders them. What
// orders: a block-wide barrier (both carry the barrier's epoch), and __syncwarp() among lanes of one warp (a vector
// clock per lane, as in FastTrack: C. Flanagan, S. Freund, PLDI 2009). A shuffle moves a value and orders no memory.
// Blocks of one launch are never ordered, except by __threadfence() and an atomic (fences.cpp).
#pragma once
#include "emulator.h"

enum MarkFlags : u8 { kAtomicMark = 1, kPlainWriteEver = 2 };  // the upper four bits: bytes ever touched, all blocks

static inline bool unordered(Worker *w, const Mark &mark, int thread) {
  if (mark.thread == thread) return false;
  const int warp = thread >> 5;
  if (mark.thread >> 5 != warp) return true;
  return !w->clocks_used[warp] || w->clocks[warp][thread & 31][mark.thread & 31] <= mark.clock;
}

EMU_OUT_OF_LINE static void report_race(Worker *w, const Region *r, const Mark &mark, u32 site, word address, int size, bool write) {
  const SiteRecord *records = launch.module->records;
  Fault *f = add_fault(w, r->shared ? kSharedRace : kGlobalRace, records[site].line, records[mark.site].line, r->array,
                       (int64_t)(address - r->lo));
  if (f->count > 1) return;
  f->size = size, f->is_write = write, f->other_thread = mark.thread, f->other_block = (int)mark.block - 1;
}

// A mark of the running block, and of its running epoch.
static inline bool of_block(Worker *w, const Mark &m) { return m.block == w->block; }
static inline bool of_epoch(Worker *w, const Mark &m) { return m.epoch == w->epoch && m.block == w->block; }

// Whether nothing orders the access that left the mark before one of the running thread.
static inline bool conflicts(Worker *w, const Region *r, const Mark &m, int thread) {
  if (of_block(w, m) ? m.epoch != w->epoch || !unordered(w, m, thread) : r->shared || !m.block) return false;
  return !released(w, m, thread);
}

// Of the lanes that have read under one mark, one that the running thread has not seen; -1 none.
static inline int unseen_lane(Worker *w, const Cell *c, int thread) {
  if (!of_epoch(w, c->read) || c->read.thread >> 5 != thread >> 5) return -1;
  for (u32 m = c->lanes & ~(1u << (thread & 31)); m; m &= m - 1) {
    Mark one = c->read;
    one.thread = (u16)((thread & ~31) | __builtin_ctz(m));
    if (unordered(w, one, thread) && !released(w, one, thread)) return one.thread;
  }
  return -1;
}

template <SiteKind kind> static inline void note_read(Worker *w, Cell *c, u8 mask, u32 site, int thread, u16 clock) {
  Mark &read = c->read, &other = c->other_read;
  const u32 lane = 1u << (thread & 31);
  if (of_epoch(w, read) && read.thread >> 5 == thread >> 5 && read.clock == clock) {  // by far the most frequent
    read.mask |= mask, read.site = (u16)site, read.thread = (u16)thread, read.flags |= (u8)(mask << 4), c->lanes |= lane;
    return;
  }
  const u8 ever = (u8)(read.flags | mask << 4);
  const bool other_is_far = other.block && (!of_block(w, other) || (of_epoch(w, other) && other.thread >> 5 != thread >> 5));
  if (of_epoch(w, read) && read.thread >> 5 == thread >> 5) {  // the same warp, before a __syncwarp() of this lane
    const int unseen = unseen_lane(w, c, thread);
    if (unseen >= 0 && !other_is_far) other = read, other.thread = (u16)unseen;
  } else if (read.block || !other_is_far) {
    other = read;
  }
  read = Mark{w->epoch, w->block, (u16)thread, (u16)site, clock, mask, ever};
  c->lanes = lane;
}

template <SiteKind kind> static inline void check_cell(Worker *w, const Region *r, Cell *c, u8 mask, u32 site, word address, int size) {
  const int thread = thread_number(w);
  Mark &write = c->write, &read = c->read;
  const u16 clock = w->clocks[thread >> 5][thread & 31][thread & 31];
  if ((write.mask & mask) && !(kind == kAtomic && (write.flags & kAtomicMark)) && conflicts(w, r, write, thread))
    report_race(w, r, write, site, address, size, kind != kRead);
  if (r->shared && kind != kWrite && !(of_block(w, write) && (write.mask & mask) == mask))
    add_fault(w, kUninitialised, launch.module->records[site].line, 0, r->array, (int64_t)(address - r->lo))->size = size;
  if (kind == kRead) return note_read<kind>(w, c, mask, site, thread, clock);
  const int lane = read.mask & mask ? unseen_lane(w, c, thread) : -1;
  if (lane >= 0) {
    Mark one = read;
    one.thread = (u16)lane;
    report_race(w, r, one, site, address, size, true);
  } else if ((read.mask & mask) && !(of_epoch(w, read) && read.thread >> 5 == thread >> 5) && conflicts(w, r, read, thread)) {
    report_race(w, r, read, site, address, size, true);
  } else if ((c->other_read.mask & mask) && conflicts(w, r, c->other_read, thread)) {
    report_race(w, r, c->other_read, site, address, size, true);
  }
  const u8 before = of_block(w, write) ? write.mask : 0;
  const u8 flags = (u8)((write.flags & 0xf0) | mask << 4 | (kind == kAtomic ? kAtomicMark : kPlainWriteEver) | (write.flags & kPlainWriteEver));
  write = Mark{w->epoch, w->block, (u16)thread, (u16)site, clock, (u8)(before | mask), flags};
}

template <SiteKind kind> static inline void check_cells(Worker *w, const Region *r, u32 site, word address, int size) {
  u64 offset = address - r->lo;
  if (EMU_UNLIKELY(launch.module->granule == 1)) {
    for (int i = 0; i < size; i++) check_cell<kind>(w, r, r->cells + offset + i, 1, site, address, size);
    return;
  }
  if (EMU_LIKELY(!((offset | size) & 3))) {
    Cell *c = r->cells + (offset >> 2);
    for (int i = 0; i < size >> 2; i++) check_cell<kind>(w, r, c + i, 15, site, address, size);
    return;
  }
  for (const u64 end = offset + size; offset < end;) {
    const u64 next = (offset | 3) + 1 < end ? (offset | 3) + 1 : end;
    check_cell<kind>(w, r, r->cells + (offset >> 2), (u8)(((1u << (next - offset)) - 1) << (offset & 3)), site, address, size);
    offset = next;
  }
}
