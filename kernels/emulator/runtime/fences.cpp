// Order between blocks. A block that writes, calls __threadfence() and then performs an atomic has released its writes;
// a block that performs an atomic on that address later may read them (the "last block" sum, a lock). Kernels that call
// __threadfence() run on one worker, block after block, so whatever was released was released before.
#include "emulator.h"

struct Release { u32 block, epoch; u16 thread; };
struct Meeting { word address; Release *releases; int count, capacity; };
struct Acquired { int meeting; u32 epoch; u16 thread; };

static const int kMeetings = 256;
static Meeting meetings[kMeetings];
static Acquired acquired[kMeetings];
static int meeting_count, acquired_count;
static u32 fenced_block, acquiring_block;  // 0: nobody yet

void fences_clear() { meeting_count = acquired_count = 0, fenced_block = acquiring_block = 0; }

EMU_API void emu_threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (self && self->counting) fenced_block = self->block;
}

static int meeting_at(word address) {
  for (int i = 0; i < meeting_count; i++) if (meetings[i].address == address) return i;
  if (meeting_count == kMeetings) return -1;
  meetings[meeting_count].address = address, meetings[meeting_count].count = 0;
  return meeting_count++;
}

// An atomic of the running thread. Before the first fence of a launch nothing can have been released.
void meet(Worker *w, word address) {
  if (!fenced_block) return;
  const int i = meeting_at(address);
  if (i < 0) return;
  Meeting &m = meetings[i];
  const u16 thread = (u16)thread_number(w);
  if (acquiring_block != w->block) acquiring_block = w->block, acquired_count = 0;
  bool known = false;
  for (int k = 0; k < acquired_count; k++) known |= acquired[k].meeting == i;
  if (!known && m.count) acquired[acquired_count++] = Acquired{i, w->epoch, thread};
  if (fenced_block != w->block) return;
  if (!m.count || m.releases[m.count - 1].block != w->block) {
    if (m.count == m.capacity) {
      m.capacity = m.capacity ? 2 * m.capacity : 64;
      m.releases = (Release *)realloc(m.releases, (size_t)m.capacity * sizeof(Release));
    }
    m.count++;
  }
  m.releases[m.count - 1] = Release{w->block, w->epoch, thread};
}

// Whether another block's access was released to the running thread.
bool released(Worker *w, const Mark &mark, int thread) {
  if (acquiring_block != w->block) return false;
  for (int k = 0; k < acquired_count; k++) {
    const Acquired &a = acquired[k];
    if (a.epoch == w->epoch && a.thread != thread) continue;
    const Meeting &m = meetings[a.meeting];
    for (int i = 0; i < m.count; i++) {
      const Release &r = m.releases[i];
      if (r.block == mark.block && (mark.epoch < r.epoch || (mark.epoch == r.epoch && mark.thread == r.thread))) return true;
    }
  }
  return false;
}
