// Races between blocks that ran on different workers: each has its own record of who touched what; compare them.
#include "shadow.h"

static u8 ever(const Mark &m) { return m.flags >> 4; }

static void conflict(Worker *w, const Region &r, u64 cell, const Mark &here, const Mark &there, bool write) {
  const SiteRecord *records = launch.module->records;
  const uint3 grid = launch.request.grid, block = launch.request.block;
  const u32 b = here.block - 1;
  w->current = nullptr;
  w->block_index = uint3{b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y};
  Fault *f = add_fault(w, kGlobalRace, records[here.site].line, records[there.site].line, r.array, (int64_t)(cell * (u64)launch.module->granule));
  if (f->count > 1) return;
  const u32 t = here.thread;
  f->thread = uint3{t % block.x, t / block.x % block.y, t / block.x / block.y};
  f->size = 4, f->is_write = write, f->other_thread = there.thread, f->other_block = (int)there.block - 1;
}

void merge_workers(Worker **workers, int count) {
  for (int i = 0; i < launch.region_count; i++) {
    const Region &r = launch.regions[i];
    if (r.constant) continue;
    const u64 granule = (u64)launch.module->granule, cells = (r.hi - r.lo + granule - 1) / granule;
    for (int b = 1; b < count; b++)
      for (int a = 0; a < b; a++) {
        const Cell *first = workers[a]->regions[i].cells, *second = workers[b]->regions[i].cells;
        for (u64 k = 0; first && second && k < cells; k++) {
          const Mark &w1 = first[k].write, &w2 = second[k].write, &r1 = first[k].read, &r2 = second[k].read;
          if (!(w1.block | w2.block)) continue;
          const bool plain = (w1.flags | w2.flags) & kPlainWriteEver;
          if ((ever(w1) & ever(w2)) && plain) conflict(workers[b], r, k, w2, w1, true);
          if (ever(w2) & ever(r1)) conflict(workers[b], r, k, w2, r1, true);
          if (ever(w1) & ever(r2)) conflict(workers[b], r, k, r2, w1, false);
        }
      }
  }
}
