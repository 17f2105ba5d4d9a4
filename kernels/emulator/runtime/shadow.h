// Races and uninitialised reads, seen from a record per four bytes: who wrote last, who read last, and one more reader.
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

// An access of another block to global memory, which nothing has ordered before this one.
static inline bool far_conflict(Worker *w, const Region *r, const Mark &mark, int thread) {
  return !r->shared && mark.block && !released(w, mark, thread);
}

// A mark of this launch, of the running block and epoch, of the running block, or of another block.
static inline bool of_block(Worker *w, const Mark &m) { return m.block == w->block; }
static inline bool of_epoch(Worker *w, const Mark &m) { return m.epoch == w->epoch && m.block == w->block; }

template <SiteKind kind> static inline void check_cell(Worker *w, const Region *r, Cell *c, u8 mask, u32 site, word address, int size) {
  const int thread = thread_number(w);
  Mark &write = c->write, &read = c->read, &other = c->other_read;
  const u16 clock = w->clocks[thread >> 5][thread & 31][thread & 31];
  if ((write.mask & mask) && !(kind == kAtomic && (write.flags & kAtomicMark))) {
    if (of_block(w, write) ? write.epoch == w->epoch && unordered(w, write, thread) : far_conflict(w, r, write, thread))
      report_race(w, r, write, site, address, size, kind != kRead);
  }
  if (r->shared && kind != kWrite && !(of_block(w, write) && (write.mask & mask) == mask))
    add_fault(w, kUninitialised, launch.module->records[site].line, 0, r->array, (int64_t)(address - r->lo))->size = size;
  if (kind == kRead) {
    if (of_epoch(w, read) && read.thread == thread) {  // by far the most frequent: the same thread again
      read.mask |= mask, read.site = (u16)site, read.clock = clock, read.flags |= (u8)(mask << 4);
      return;
    }
    const u8 ever = (u8)(read.flags | mask << 4);
    const bool read_is_far = read.block && (!of_block(w, read) || (of_epoch(w, read) && read.thread >> 5 != thread >> 5));
    const bool other_is_far = other.block && (!of_block(w, other) || (of_epoch(w, other) && other.thread >> 5 != thread >> 5));
    if (read_is_far || !other_is_far) other = read;
    read = Mark{w->epoch, w->block, (u16)thread, (u16)site, clock, mask, ever};
    return;
  }
  const Mark *readers[] = {&read, &other};
  for (const Mark *m : readers) {
    if (!(m->mask & mask)) continue;
    if (of_block(w, *m) ? m->epoch == w->epoch && unordered(w, *m, thread) : far_conflict(w, r, *m, thread)) {
      report_race(w, r, *m, site, address, size, true);
      break;
    }
  }
  const u8 before = of_block(w, write) ? write.mask : 0;
  const u8 flags = (u8)((write.flags & 0xf0) | mask << 4 | (kind == kAtomic ? kAtomicMark : kPlainWriteEver) | (write.flags & kPlainWriteEver));
  write = Mark{w->epoch, w->block, (u16)thread, (u16)site, clock, (u8)(before | mask), flags};
}

template <SiteKind kind> static inline void check_cells(Worker *w, const Region *r, u32 site, word address, int size) {
  u64 offset = address - r->lo;
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
