// Order by fence and atomic, between blocks and between threads of one block. A thread that writes, calls
// __threadfence() and then performs an atomic has released its writes; a thread that performs an atomic on that address
// later may read them (the "last block" sum, a lock). A barrier passes both on to the other threads of the block.
// Kernels that call __threadfence() run on one worker, block after block, so that "later" has a meaning.
#include "emulator.h"

struct Stamp { u32 block, epoch; u64 when; };
struct Release { u32 epoch; u16 clock; u64 when; };
struct Meeting {       // one address of atomics
  word address;
  Release *threads;    // by number of the thread in the grid: what it did before its last fence is released
  Release *blocks;     // by block: what its threads did before the barrier before the last release
  Stamp seen[kMaxThreads];  // by thread of the running block: its last atomic here
  Stamp now, before;        // the block's last atomic here in the latest epoch that has one, and in an earlier one
};
struct Fence { u32 block, epoch; u16 clock; };

static const int kMeetings = 256;
static const u64 kRoom = 256 << 20;  // bytes for `threads` of all meetings; without, only barriers pass releases on
static Meeting *meetings[kMeetings];
static int meeting_count;
static Fence fences[kMaxThreads];
static bool fenced;
static u64 moment, taken;

void fences_clear() {
  for (int i = 0; i < meeting_count; i++) free(meetings[i]->threads), free(meetings[i]->blocks), free(meetings[i]);
  memset(fences, 0, sizeof fences);
  meeting_count = 0, moment = taken = 0, fenced = false;
}

EMU_API void emu_threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  Worker *w = self;
  if (!w || !w->counting) return;
  const int t = thread_number(w);
  u16 &clock = w->clocks[t >> 5][t & 31][t & 31];  // what follows is told apart from what went before
  clock++, w->clocks_used[t >> 5] = 1;
  fences[t] = Fence{w->block, w->epoch, clock};
  fenced = true;
}

static Meeting *meeting_at(word address) {
  for (int i = 0; i < meeting_count; i++) if (meetings[i]->address == address) return meetings[i];
  if (meeting_count == kMeetings) return nullptr;
  Meeting *m = meetings[meeting_count++] = (Meeting *)calloc(1, sizeof(Meeting));
  m->address = address;
  return m;
}

// An atomic of the running thread. Before the first fence of a launch nothing can have been released.
void meet(Worker *w, word address) {
  Meeting *m = fenced ? meeting_at(address) : nullptr;
  if (!m) return;
  const int t = thread_number(w);
  const Stamp here = {w->block, w->epoch, ++moment};
  m->seen[t] = here;
  if (m->now.block != here.block || m->now.epoch != here.epoch) m->before = m->now;
  m->now = here;
  const Fence &f = fences[t];
  if (f.block != w->block) return;
  const u64 threads = launch.blocks * (u64)w->thread_count;
  if (!m->blocks) {
    m->blocks = (Release *)calloc(launch.blocks, sizeof(Release));
    if (taken + threads * sizeof(Release) <= kRoom) {
      m->threads = (Release *)calloc(threads, sizeof(Release));
      taken += threads * sizeof(Release);
    }
  }
  m->blocks[w->block - 1] = Release{w->epoch, 0, here.when};
  if (m->threads) m->threads[(u64)(w->block - 1) * (u64)w->thread_count + (u64)t] = Release{f.epoch, f.clock, here.when};
}

static u64 last_seen(Worker *w, const Meeting *m, int thread) {  // by the thread itself, or before a barrier
  u64 when = m->seen[thread].block == w->block ? m->seen[thread].when : 0;
  const Stamp *both[] = {&m->now, &m->before};
  for (const Stamp *s : both)
    if (s->block == w->block && s->epoch < w->epoch && s->when > when) when = s->when;
  return when;
}

// Whether another thread's access was released to the running one.
bool released(Worker *w, const Mark &mark, int thread) {
  if (!fenced) return false;
  for (int i = 0; i < meeting_count; i++) {
    const Meeting *m = meetings[i];
    const u64 seen = last_seen(w, m, thread);
    if (!seen || !m->blocks) continue;
    const Release &b = m->blocks[mark.block - 1];
    if (b.when && b.when < seen && mark.epoch < b.epoch) return true;
    if (!m->threads) continue;
    const Release &r = m->threads[(u64)(mark.block - 1) * (u64)w->thread_count + mark.thread];
    if (r.when && r.when < seen && (mark.epoch < r.epoch || (mark.epoch == r.epoch && mark.clock < r.clock))) return true;
  }
  return false;
}
