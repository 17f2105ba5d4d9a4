// Loading a compiled kernel file, and running a launch on the workers.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "emulator.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

void printf_clear();
void printf_start();
void trace_clear();

// ---- modules ---------------------------------------------------------------------------------------------------------
static int compare_labels(const void *a, const void *b, void *m) {
  const SiteRecord *x = &((Module *)m)->records[*(const int *)a], *y = &((Module *)m)->records[*(const int *)b];
  const word p = (word)x + x->label, q = (word)y + y->label;
  return p < q ? -1 : p > q;
}

static int find_image(struct dl_phdr_info *info, size_t, void *data) {
  Module *m = (Module *)data;
  if (info->dlpi_addr != m->base) return 0;
  m->image_lo = ~(word)0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) &p = info->dlpi_phdr[i];
    const word lo = info->dlpi_addr + p.p_vaddr, hi = lo + p.p_memsz;
    if (p.p_type == PT_TLS) m->tls_size = p.p_memsz;
    if (p.p_type != PT_LOAD) continue;
    if (lo < m->image_lo) m->image_lo = lo;
    if (hi > m->image_hi) m->image_hi = hi;
    if (p.p_flags & PF_X) m->text_lo = lo, m->text_hi = hi;
  }
  return 1;
}

EMU_API Module *emu_load(const char *path, char *error, int room) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    snprintf(error, (size_t)room, "%s", dlerror());
    return nullptr;
  }
  Module *m = (Module *)calloc(1, sizeof(Module));
  m->handle = handle;
  struct link_map *map;
  dlinfo(handle, RTLD_DI_LINKMAP, &map);
  m->base = map->l_addr;
  dl_iterate_phdr(find_image, m);
  m->records = (SiteRecord *)dlsym(handle, "emu_sites");
  const int *count = (const int *)dlsym(handle, "emu_site_count"), *shared = (const int *)dlsym(handle, "emu_shared_count");
  m->count = count ? *count : 0;
  m->shared = (SharedArray *)dlsym(handle, "emu_shared_arrays");
  m->shared_count = shared ? *shared : 0;
  const int *variables = (const int *)dlsym(handle, "emu_variable_count");
  m->variables = (Variable *)dlsym(handle, "emu_variables");
  m->variable_count = variables ? *variables : 0;
  m->granule = 4;
  for (int i = 0; i < m->count; i++)
    if (m->records[i].kind <= kWrite && m->records[i].size && m->records[i].size < 4) m->granule = 1;
  m->by_address = (int *)malloc(sizeof(int) * (size_t)(m->count + 1));
  for (int i = 0; i < m->count; i++) m->by_address[i] = i;
  qsort_r(m->by_address, (size_t)m->count, sizeof(int), compare_labels, m);
  return m;
}
EMU_API void *emu_symbol(Module *m, const char *name) { return dlsym(m->handle, name); }
EMU_API void emu_unload(Module *m) {
  dlclose(m->handle);
  free(m->by_address), free(m);
}

// ---- a worker's part of a launch -------------------------------------------------------------------------------------
static u64 turn(u64 *state) {  // xorshift64: scheduling orders must be the same everywhere
  *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
  return *state;
}
static void shuffle(int *order, int count, int kind, u64 *state) {
  for (int i = 0; i < count; i++) order[i] = kind == 1 ? count - 1 - i : i;
  if (kind > 1)
    for (int i = count - 1; i > 0; i--) {
      const int j = (int)(turn(state) % (u64)(i + 1)), kept = order[i];
      order[i] = order[j], order[j] = kept;
    }
}

static word shared_memory(Module *m) {  // of the calling thread
  char *(*anchor)() = (char *(*)())dlsym(m->handle, "emu_anchor");
  return m->shared_count && anchor ? (word)anchor() - m->shared[0].offset : 0;
}

static size_t cell_bytes(const Region &r) { return ((r.hi - r.lo) / (u64)launch.module->granule + 2) * sizeof(Cell); }

static void prepare_check(Worker *w) {
  Module *m = launch.module;
  static const size_t kGap = 64 * 9;  // bytes between lanes' logs: 32 streams must not fall into one cache set
  if (!w->lanes[0].begin) {
    char *slab = (char *)emu_map(32 * (kLaneEvents * 8 + kGap) + 64);
    for (int l = 0; l < 32; l++) w->lanes[l].begin = (u64 *)(slab + (size_t)l * (kLaneEvents * 8 + kGap));
  }
  for (LaneLog &g : w->lanes) g.next = g.begin, g.hash = 0;
  free(w->sites), free(w->patterns);
  w->sites = (Site *)calloc((size_t)m->count + 32, sizeof(Site));
  w->patterns = (Pattern *)calloc((size_t)m->count + 32, sizeof(Pattern));
  const u64 granule = (u64)m->granule, cells = w->shared_size / granule + 2;
  if (w->shared_cell_count < cells) {
    emu_unmap(w->shared_cells, w->shared_cell_count * sizeof(Cell));
    w->shared_cells = (Cell *)emu_map(cells * sizeof(Cell)), w->shared_cell_count = cells;
  }
  w->shared_regions = (Region *)realloc(w->shared_regions, sizeof(Region) * (size_t)(m->shared_count + 1));
  for (int i = 0; i < m->shared_count; i++) {
    const u64 size = m->shared[i].size ? m->shared[i].size : launch.request.dynamic_bytes;  // 0: dynamic
    const word lo = w->shared_lo + m->shared[i].offset;
    Cell *first = w->shared_cells + m->shared[i].offset / granule;
    memset((void *)first, 0, (size + granule - 1) / granule * sizeof(Cell));
    w->shared_regions[i] = Region{lo, lo + size, first, -2 - i, 0, 0, 1, 0};
  }
  w->regions = (Region *)realloc(w->regions, sizeof(Region) * (size_t)(launch.region_count + 1));
  for (int i = 0; i < launch.region_count; i++) {
    w->regions[i] = launch.regions[i];
    if (!launch.regions[i].constant)
      w->regions[i].cells = (Cell *)emu_map(cell_bytes(launch.regions[i]));
  }
}

static void prepare(Worker *w) {
  self = w;
  if (!w->signal_stack) {
    w->signal_stack = (char *)malloc(64 << 10);
    stack_t s{};
    s.ss_sp = w->signal_stack, s.ss_size = 64 << 10;
    sigaltstack(&s, nullptr);
  }
  if (!w->faults) w->faults = (Fault *)malloc(sizeof(Fault) * kMaxFaults);
  const uint3 block = launch.request.block;
  w->shared_lo = shared_memory(launch.module), w->shared_size = w->shared_lo ? launch.module->tls_size : 0;
  w->thread_count = (int)(block.x * block.y * block.z), w->warp_count = (w->thread_count + 31) / 32;
  w->current = nullptr, w->in_kernel = 0, w->fault_count = 0, w->nan_address = 0, w->nan_size = 0, w->window_full = 0, w->together = 0;
  w->barriers = w->warps_run = w->cut_windows = 0, w->counting = launch.request.checked;
  u64 state = (u64)launch.request.order * 0x9E3779B97F4A7C15ull + 1;
  shuffle(w->lane_order, 32, launch.request.order, &state);
  shuffle(w->warp_order, w->warp_count, launch.request.order, &state);
  if (launch.request.checked) prepare_check(w);
}

static u64 block_at(u64 turn_number) {  // the order of blocks: a step that shares no factor with their number visits all
  if (launch.request.order == 0) return turn_number;
  if (launch.request.order == 1) return launch.blocks - 1 - turn_number;
  static const u64 kPrimes[] = {7919, 104729, 15485863, 2038074743};
  for (u64 p : kPrimes)
    if (launch.blocks % p) return (turn_number % launch.blocks * (p % launch.blocks) + (u64)launch.request.order) % launch.blocks;
  return turn_number;
}

static void run_block(Worker *w, u64 b) {
  const LaunchRequest &r = launch.request;
  w->block = (u32)b + 1;
  w->block_index = uint3{(unsigned)(b % r.grid.x), (unsigned)(b / r.grid.x % r.grid.y), (unsigned)(b / r.grid.x / r.grid.y)};
  if (r.checked) return run_block_checked(w);
  if (!r.whole) return run_block_fibers(w);
  const EmuPosition at = {w->block_index, r.block, r.grid};
  r.whole(r.arguments, &at);
}

// Checked, each worker has a fixed part of the blocks, so that reports do not change from run to run.
static void run_part(Worker *w) {
  prepare(w);
  const u64 blocks = launch.blocks, workers = (u64)launch.request.workers;
  const u64 first = launch.request.checked ? blocks * (u64)w->id / workers : 0;
  const u64 last = launch.request.checked ? blocks * (u64)(w->id + 1) / workers : blocks;
  const u64 chunk = launch.request.checked ? blocks : blocks / (workers * 8) + 1;
  if (launch.request.whole) w->in_kernel = 1;
  if (!launch.request.whole || !__builtin_setjmp(w->escape))
    for (u64 next = first; !launch.abort && next < last;) {
      if (!launch.request.checked) next = __atomic_fetch_add(&launch.next_block, chunk, __ATOMIC_RELAXED);
      const u64 end = next + chunk < last ? next + chunk : last;
      for (; next < end && !launch.abort; next++) run_block(w, block_at(next));
    }
  w->in_kernel = 0;
  if (launch.abort) reclaim_stacks(w);
  self = nullptr;
}

// ---- signals ---------------------------------------------------------------------------------------------------------
static Worker *all_workers[64];
static pthread_t all_threads[64];
static int thread_total;

static word stack_pointer_of(const ucontext_t *context) {
#if defined(__x86_64__)
  return (word)context->uc_mcontext.gregs[REG_RSP];
#else
  return (word)context->uc_mcontext.sp;
#endif
}

static word kernel_address(const ucontext_t *context) {
#if defined(__x86_64__)
  const word pc = (word)context->uc_mcontext.gregs[REG_RIP];
#else
  const word pc = (word)context->uc_mcontext.pc;
#endif
  const word sp = stack_pointer_of(context);
  const Module *m = launch.module;
  if (pc >= m->text_lo && pc < m->text_hi) return pc;
  for (int i = 0; i < 256; i++) {  // in a library: the kernel's call is a few words up the stack
    if (((sp + 8 * (word)i) & 4095) == 0 && i) break;
    const word a = ((const word *)sp)[i];
    if (a > m->text_lo && a < m->text_hi) return a - 1;
  }
  return pc;
}

static void on_signal(int number, siginfo_t *info, void *context) {
  Worker *w = self;
  if (number == SIGUSR2 && !__atomic_exchange_n(&launch.abort, 1, __ATOMIC_RELAXED))  // time is up: tell everyone once
    for (int i = 0; i < thread_total; i++)
      if (all_workers[i] != w && all_workers[i]->in_kernel) pthread_kill(all_threads[i], SIGUSR2);
  if (!w || !w->in_kernel) {
    if (number != SIGUSR2) signal(number, SIG_DFL);
    return;
  }
  const word address = (word)info->si_addr;
  const char *stack = w->current ? w->current->stack : nullptr;
  const word sp = stack_pointer_of((const ucontext_t *)context);
  const bool overflow = number == SIGSEGV && (stack ? address >= (word)stack - (64 << 10) && address < (word)stack
                                                    : address + (64 << 10) >= sp && address < sp + (64 << 10));
  const FaultKind kind = number == SIGUSR2 ? kTimeOut : overflow ? kStackOverflow : kCrash;
  int line = line_of(launch.module, kernel_address((const ucontext_t *)context));
  if (!line && w->counting && w->current && w->log > w->lanes[thread_number(w) & 31].begin)
    line = launch.module->records[w->log[-1] >> 48].line;  // the crash is in a hook: the last place that was noted
  Fault *f = add_fault(w, kind, line, 0, -1, (int64_t)address);
  f->detail = number;
  launch.abort = 1;
  w->in_kernel = 0;
  if (!w->current && launch.request.whole) __builtin_longjmp(w->escape, 1);
  if (!w->current) return;
  stop(w);
}

static void install_signals() {
  static bool installed;
  if (installed) return;
  installed = true;
  struct sigaction action{};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;  // the handler is left by a switch of stacks
  static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGUSR2};
  for (int number : numbers) sigaction(number, &action, nullptr);
}

// ---- the launch ------------------------------------------------------------------------------------------------------
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, finished = PTHREAD_COND_INITIALIZER;
static u64 generation;
static int running;

static void *worker_main(void *data) {
  Worker *w = (Worker *)data;
  u64 seen = 0;
  for (;;) {
    pthread_mutex_lock(&mutex);
    while (generation == seen) pthread_cond_wait(&work, &mutex);
    seen = generation;
    const bool mine = w->id < launch.request.workers;
    pthread_mutex_unlock(&mutex);
    if (!mine) continue;
    run_part(w);
    pthread_mutex_lock(&mutex);
    if (--running == 0) pthread_cond_signal(&finished);
    pthread_mutex_unlock(&mutex);
  }
  return nullptr;
}

static void need_workers(int count) {
  for (; thread_total < count; thread_total++) {
    Worker *w = (Worker *)calloc(1, sizeof(Worker));
    w->id = thread_total;
    all_workers[thread_total] = w;
    if (thread_total) {
      pthread_create(&all_threads[thread_total], nullptr, worker_main, w);
    } else {
      all_threads[0] = pthread_self();
    }
  }
}

static void add_region(const Region &added) {  // in the order of addresses
  int at = 0;
  while (at < launch.region_count && launch.regions[at].lo < added.lo) at++;
  if (at < launch.region_count && launch.regions[at].lo == added.lo) {  // one array, passed twice
    launch.regions[at].constant &= added.constant, launch.regions[at].floating |= added.floating;
    return;
  }
  memmove(launch.regions + at + 1, launch.regions + at, sizeof(Region) * (size_t)(launch.region_count - at));
  launch.regions[at] = added, launch.region_count++;
}

static void describe_regions(const LaunchRequest &r, const Module *m) {
  const int most = r.array_count + m->variable_count + 1;
  launch.regions = (Region *)realloc(launch.regions, sizeof(Region) * (size_t)most);
  launch.region_count = 0;
  for (int i = 0; i < r.array_count; i++) {
    const ArrayArgument &a = r.arrays[i];
    add_region(Region{a.address, a.address + a.bytes, nullptr, i, (u8)a.constant, (u8)a.floating, 0, 0});
  }
  for (int i = 0; r.checked && i < m->variable_count; i++) {
    const Variable &v = m->variables[i];
    add_region(Region{v.address, v.address + v.size, nullptr, kVariable + i, (u8)v.constant, 0, 0, (u8)v.constant});
  }
}

EMU_API int emu_launch(Module *module, const LaunchRequest *request) {
  install_signals();
  printf_start(), printf_clear(), trace_clear(), fences_clear();
  need_workers(request->workers);
  launch.module = module, launch.request = *request;
  launch.blocks = (u64)request->grid.x * request->grid.y * request->grid.z;
  launch.next_block = 0, launch.abort = 0;
  describe_regions(*request, module);
  if (request->workers > 1) {
    pthread_mutex_lock(&mutex);
    running = request->workers - 1, generation++;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&mutex);
  }
  run_part(all_workers[0]);
  if (request->workers > 1) {
    pthread_mutex_lock(&mutex);
    while (running) pthread_cond_wait(&finished, &mutex);
    pthread_mutex_unlock(&mutex);
  }
  if (request->checked) {
    if (request->workers > 1) merge_workers(all_workers, request->workers);
    for (int i = 0; i < request->workers; i++)
      for (int k = 0; k < launch.region_count; k++) {
        Region &r = all_workers[i]->regions[k];
        emu_unmap(r.cells, cell_bytes(r));
        r.cells = nullptr;
      }
  }
  int faults = 0;
  for (int i = 0; i < request->workers; i++) faults += all_workers[i]->fault_count;
  return faults;
}

EMU_API int emu_faults(Fault *out, int room) {
  int n = 0;
  for (int i = 0; i < launch.request.workers; i++)
    for (int k = 0; k < all_workers[i]->fault_count && n < room; k++) out[n++] = all_workers[i]->faults[k];
  return n;
}
// Sums over the workers; totals: blocks, warps, barriers, windows cut.
EMU_API void emu_counts(SiteCounts *out, u64 *totals) {
  memset(out, 0, sizeof(SiteCounts) * (size_t)launch.module->count), memset(totals, 0, 4 * sizeof(u64));
  for (int i = 0; i < launch.request.workers; i++) {
    const Worker *w = all_workers[i];
    totals[1] += w->warps_run, totals[2] += w->barriers, totals[3] += w->cut_windows;
    for (int s = 0; s < launch.module->count; s++) {
      const Site &from = w->sites[s];
      SiteCounts &to = out[s];
      to.requests += from.requests, to.lanes += from.lanes, to.sectors += from.sectors;
      to.shared_requests += from.shared_requests, to.shared_lanes += from.shared_lanes, to.passes += from.passes;
      to.ideal += from.ideal, to.warps += from.warps, to.threads += from.threads, to.divergent += from.divergent;
    }
  }
  totals[0] = launch.blocks;
}

EMU_API uint3 emu_thread_index() { return self->current->index; }
EMU_API uint3 emu_block_index() { return self->block_index; }
EMU_API uint3 emu_block_size() { return launch.request.block; }
EMU_API uint3 emu_grid_size() { return launch.request.grid; }
