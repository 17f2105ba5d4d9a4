// What a checked kernel calls at every access and at the start of every basic block. The names are those that the
// compiler's -fsanitize=thread and -fsanitize-coverage=trace-pc emit; annotate.py adds the number of the site as one
// more argument, so that nothing has to be looked up.
#include "shadow.h"

static inline void log_event(Worker *w, u32 site, word address) {
  *w->log++ = (u64)site << 48 | address;
  w->hash = (w->hash + site) * 0x9E3779B97F4A7C15ull;
  if (EMU_UNLIKELY(w->log == w->log_end)) yield_full(w);
}

// From an address to a region; 0 also where an access begins inside and ends outside.
static word distance(const Region &r, word a) { return a < r.lo ? r.lo - a : a < r.hi ? 0 : a - r.hi; }

EMU_OUT_OF_LINE static void out_of_bounds(Worker *w, word a, int size, SiteKind kind, u32 site) {
  const int line = launch.module->records[site].line;
  Fault *f;
  if (a - w->shared_lo < w->shared_size + (64 << 10)) {  // past a shared array, into the gap behind it
    int array = -1;
    int64_t offset = (int64_t)(a - w->shared_lo);
    word best = ~(word)0;
    for (int i = launch.module->shared_count > 1; i < launch.module->shared_count; i++) {  // 0 is the anchor
      const word away = distance(w->shared_regions[i], a);
      if (away < best) best = away, array = -2 - i, offset = (int64_t)(a - w->shared_regions[i].lo);
    }
    f = add_fault(w, kSharedBounds, line, 0, array, offset);
  } else {
    int nearest = -1;
    word best = ~(word)0;
    for (int i = 0; i < launch.region_count; i++) {
      const Region &r = w->regions[i];
      const word away = distance(r, a);
      if (away < best) best = away, nearest = i;
    }
    const bool near = nearest >= 0 && best < (word)1 << 40;
    f = add_fault(w, kGlobalBounds, line, 0, near ? w->regions[nearest].array : -1,
                  near ? (int64_t)(a - w->regions[nearest].lo) : (int64_t)a);
  }
  f->size = size, f->is_write = kind != kRead;
  stop(w);
}

// The region that holds [a, a + size), remembered in the site; null for a thread's own stack. Does not return if none.
EMU_OUT_OF_LINE static Region *find_region(Worker *w, word a, int size, SiteKind kind, u32 site) {
  Site &s = w->sites[site];
  Region *found = nullptr;
  if (a - w->stack_lo < kStack) return nullptr;
  if (a - w->shared_lo < w->shared_size) {
    for (int i = 0; i < launch.module->shared_count; i++) {
      Region &r = w->shared_regions[i];
      if (a >= r.lo && a + size <= r.hi) found = &r;
    }
  } else {
    int lo = 0, hi = launch.region_count;
    while (lo < hi) {
      const int middle = (lo + hi) / 2;
      if (w->regions[middle].hi <= a) lo = middle + 1; else hi = middle;
    }
    if (lo < launch.region_count && w->regions[lo].lo <= a && a + size <= w->regions[lo].hi) found = &w->regions[lo];
    // Other memory of the module's image holds the compiler's own tables. Around a variable lie 256 bytes of nothing.
    if (!found && a >= launch.module->image_lo && a + size <= launch.module->image_hi) {
      bool near = false;
      for (int i = 0; i < launch.region_count; i++)
        near |= launch.regions[i].array >= kVariable && distance(launch.regions[i], a) < 256;
      if (!near) return nullptr;
    }
  }
  if (!found) out_of_bounds(w, a, size, kind, site);
  s.region = found;
  s.lo = found->lo, s.span = found->hi - found->lo - size;
  return found;
}

EMU_OUT_OF_LINE static void misaligned(Worker *w, Region *r, word a, int size, SiteKind kind, u32 site) {
  Fault *f = add_fault(w, kMisaligned, launch.module->records[site].line, 0, r->array, (int64_t)(a - r->lo));
  f->size = size, f->is_write = kind != kRead;
  stop(w);
}
EMU_OUT_OF_LINE static void constant_written(Worker *w, Region *r, word a, int size, u32 site) {
  Fault *f = add_fault(w, kConstWrite, launch.module->records[site].line, 0, r->array, (int64_t)(a - r->lo));
  f->size = size, f->is_write = 1;
  stop(w);
}

// A NaN is seen one access late, when the value written is in memory.
void finish_nan(Worker *w) {
  const word a = w->nan_address;
  if (!a) return;
  w->nan_address = 0;
  for (u32 at = 0;; at += 4) {
    if (at >= w->nan_size) return;
    u32 bits;
    memcpy(&bits, (void *)(a + at), 4);
    if ((bits & 0x7fffffffu) > 0x7f800000u) break;
  }
  Region *r = w->sites[w->nan_site].region;
  add_fault(w, kNan, launch.module->records[w->nan_site].line, 0, r ? r->array : -1, r ? (int64_t)(a - r->lo) : 0)->is_write = 1;
}

template <SiteKind kind, bool aligned> static inline void access(word a, int size, u32 site) {
  Worker *w = self;
  if (EMU_UNLIKELY(!w || !w->current)) return;
  Site &s = w->sites[site];
  Region *r = s.region;
  if (EMU_UNLIKELY(w->nan_address)) finish_nan(w);
  if (EMU_UNLIKELY(a - s.lo > s.span)) {
    s.size = (u8)size, s.kind = kind;
    r = find_region(w, a, size, kind, site);
    if (!r) return;
  }
  if (aligned && EMU_UNLIKELY((a - r->lo) & (size - 1))) misaligned(w, r, a, size, kind, site);
  if (kind != kRead && EMU_UNLIKELY(r->constant)) constant_written(w, r, a, size, site);
  if (r->shared) {
    check_cells<kind>(w, r, site, a, size);
    log_event(w, site, (a - w->shared_lo) | (word)1 << 47);
    return;
  }
  if (r->cells) {
    check_cells<kind>(w, r, site, a, size);
    if (kind != kRead && EMU_UNLIKELY(launch.request.nan) && r->floating && size >= 4)
      w->nan_address = a, w->nan_site = site, w->nan_size = (u32)size;
  }
  if (!r->silent) log_event(w, site, a);
}

void atomic_access(word a, int size, word return_address) {
  Worker *w = self;
  if (!w || !w->current || !w->counting) return;
  Module *m = launch.module;
  int lo = 0, hi = m->count;  // the first label at or after the return address: the call's own
  while (lo < hi) {
    const int middle = (lo + hi) / 2;
    const SiteRecord *record = &m->records[m->by_address[middle]];
    if ((word)record + record->label < return_address) lo = middle + 1; else hi = middle;
  }
  if (lo == m->count) lo--;
  access<kAtomic, true>(a, size, (u32)m->by_address[lo]);
  meet(w, a);
}

#define HOOKS(n) \
  EMU_API void __tsan_read##n(void *p, u32 site) { access<kRead, true>((word)p, n, site); } \
  EMU_API void __tsan_write##n(void *p, u32 site) { access<kWrite, true>((word)p, n, site); } \
  EMU_API void __tsan_unaligned_read##n(void *p, u32 site) { access<kRead, false>((word)p, n, site); } \
  EMU_API void __tsan_unaligned_write##n(void *p, u32 site) { access<kWrite, false>((word)p, n, site); } \
  EMU_API void __tsan_volatile_read##n(void *p, u32 site) { access<kRead, true>((word)p, n, site); } \
  EMU_API void __tsan_volatile_write##n(void *p, u32 site) { access<kWrite, true>((word)p, n, site); } \
  EMU_API void __tsan_unaligned_volatile_read##n(void *p, u32 site) { access<kRead, false>((word)p, n, site); } \
  EMU_API void __tsan_unaligned_volatile_write##n(void *p, u32 site) { access<kWrite, false>((word)p, n, site); } \
  EMU_API void __tsan_read_write##n(void *p, u32 site) { access<kRead, true>((word)p, n, site), access<kWrite, true>((word)p, n, site + 1); } \
  EMU_API void __tsan_unaligned_read_write##n(void *p, u32 site) { access<kRead, false>((word)p, n, site), access<kWrite, false>((word)p, n, site + 1); }
HOOKS(1) HOOKS(2) HOOKS(4) HOOKS(8) HOOKS(16)

// A struct of 12 bytes: a GPU issues one access a member, so the annotator keeps 16 sites for such a call.
template <SiteKind kind> static void range(word p, u64 bytes, u32 site) {
  if (bytes % 4 || bytes > 64) {
    access<kind, false>(p, (int)(bytes < 255 ? bytes : 255), site);
    return;
  }
  for (u64 i = 0; i < bytes; i += 4) access<kind, false>(p + i, 4, site + (u32)(i / 4));
}
EMU_API void __tsan_read_range(void *p, u64 bytes, u32 site) { range<kRead>((word)p, bytes, site); }
EMU_API void __tsan_write_range(void *p, u64 bytes, u32 site) { range<kWrite>((word)p, bytes, site); }
EMU_API void __tsan_vptr_update(void **, void *) {}
EMU_API void __tsan_vptr_read(void **) {}
EMU_API void __tsan_init() {}
EMU_API void __tsan_func_entry(void *) {}
EMU_API void __tsan_func_exit() {}

// memcpy and memset that the compiler made of a kernel's loop or struct: the annotator sends them here.
EMU_API void *emu_memcpy(void *to, const void *from, size_t bytes, u32 site) {
  Worker *w = self;
  if (bytes && w && w->current) range<kRead>((word)from, bytes, site), range<kWrite>((word)to, bytes, site + 16);
  return memmove(to, from, bytes);
}
EMU_API void *emu_memset(void *to, int value, size_t bytes, u32 site) {
  Worker *w = self;
  if (bytes && w && w->current) range<kWrite>((word)to, bytes, site);
  return memset(to, value, bytes);
}

EMU_API void __sanitizer_cov_trace_pc(u32 site) {
  Worker *w = self;
  if (EMU_UNLIKELY(!w || !w->current)) return;
  if (EMU_UNLIKELY(!w->steps_left--)) {
    w->steps_left = 0;
    add_fault(w, kTimeOut, launch.module->records[site].line, 0, -1, 0);
    stop(w);
  }
  log_event(w, site, 0);
}
