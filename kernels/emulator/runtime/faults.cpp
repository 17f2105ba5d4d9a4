// The list of what went wrong, and the way out of a kernel that cannot go on.
#include "emulator.h"

Launch launch;
__thread Worker *self __attribute__((tls_model("initial-exec")));

// The line of the last label at or before a code address; 0 outside of the kernel's text.
int line_of(Module *m, word address) {
  if (!m->count || address < m->text_lo || address >= m->text_hi) return 0;
  int lo = 0, hi = m->count;
  while (lo < hi) {
    const int middle = (lo + hi) / 2;
    const SiteRecord *r = &m->records[m->by_address[middle]];
    if ((word)r + r->label <= address) lo = middle + 1; else hi = middle;
  }
  for (; lo > 0; lo--)
    if (m->records[m->by_address[lo - 1]].line) return m->records[m->by_address[lo - 1]].line;
  return 0;
}

Fault *add_fault(Worker *w, FaultKind kind, int line, int other_line, int array, int64_t offset) {
  const bool race = kind == kSharedRace || kind == kGlobalRace;
  static __thread Fault discarded;
  for (int i = 0; i < w->fault_count; i++) {
    Fault &f = w->faults[i];
    if (f.kind == kind && f.line == line && f.array == array && (!race || f.other_line == other_line)) {
      f.count++;
      discarded = f;
      return &discarded;
    }
  }
  if (w->fault_count == kMaxFaults) {
    discarded = Fault{};
    discarded.count = 2;
    return &discarded;
  }
  Fault &f = w->faults[w->fault_count++];
  f = Fault{};
  f.kind = kind, f.line = line, f.other_line = other_line, f.array = array, f.offset = offset;
  f.thread = w->current ? w->current->index : uint3{0, 0, 0};
  f.block = w->block_index, f.other_thread = f.other_block = -1, f.count = 1;
  return &f;
}

void stop(Worker *w) {
  launch.abort = 1;
  Thread *t = w->current;
  void *abandoned;
  if (t) t->state = kDone;
  w->current = nullptr;
  emu_switch(&abandoned, w->scheduler);
  __builtin_trap();
}
