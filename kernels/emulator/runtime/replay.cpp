// From the traces of 32 lanes to what a warp does: requests, sectors, passes, divergent branches.
//
// Each lane ran alone and logged its sites in order. Where all traces name the same sites, event i of every lane is one
// request. Where they do not, the warp diverged: the traces are walked as the hardware would, each branch on its own,
// meeting again at the immediate post-dominator of the branch in the graph of all steps seen (K. Cooper, T. Harvey,
// K. Kennedy, A Simple, Fast Dominance Algorithm, 2001, on the reversed graph).
#include "emulator.h"

static const u64 kAddress = 0xffffffffffffull, kSharedBit = 1ull << 47;
static const int kEnd = 0xffff;
static inline u32 site_of(u64 event) { return (u32)(event >> 48); }

// ---- one request -----------------------------------------------------------------------------------------------------
struct Distinct {  // a set of up to 128 keys, emptied by counting up
  u64 key[256];
  u32 generation[256], now;
  bool add(u64 k) {
    unsigned i = (unsigned)((k * 0x9E3779B97F4A7C15ull) >> 56);
    while (generation[i] == now) {
      if (key[i] == k) return false;
      i = (i + 1) & 255;
    }
    generation[i] = now, key[i] = k;
    return true;
  }
};
static __thread Distinct *distinct;

int count_sectors(const u64 *address, u32 mask, int size) {
  if (!distinct) distinct = (Distinct *)calloc(1, sizeof(Distinct));
  distinct->now++;
  int sectors = 0;
  u64 last = ~0ull;
  for (u32 m = mask; m; m &= m - 1) {
    const u64 a = address[__builtin_ctz(m)];
    for (u64 s = a >> 5; s <= (a + size - 1) >> 5; s++)
      if (s != last) last = s, sectors += distinct->add(s);
  }
  return sectors;
}

// Whether every two active lanes whose numbers differ in `bit` alone have one address.
static bool agree(const u64 *address, u32 mask, int bit) {
  for (int l = 0; l < 32; l++)
    if (mask >> l & mask >> (l ^ bit) & 1 && address[l] != address[l ^ bit]) return false;
  return true;
}

// 32 banks of 4 bytes. Accesses of 8 bytes are served in 2 groups of 16 lanes, of 16 bytes in 4 groups of 8; within a
// group a bank gives one word a pass, to any number of lanes. Loads need half as many groups, each twice as large, where
// all neighbours (lanes 1 apart, or 2 apart) read one address. Measured on an H200, 600 patterns: benchmarks/gpu_truth.
void count_passes(const u64 *address, u32 mask, int size, bool load, int *passes, int *ideal) {
  if (!distinct) distinct = (Distinct *)calloc(1, sizeof(Distinct));
  int lanes = size <= 4 ? 32 : size == 8 ? 16 : 8;
  if (lanes < 32 && load && (agree(address, mask, 1) || agree(address, mask, 2))) lanes *= 2;
  *passes = *ideal = 0;
  for (int first = 0; first < 32; first += lanes) {
    u32 group = mask >> first & (lanes == 32 ? ~0u : (1u << lanes) - 1);
    if (!group) continue;
    u8 words[32] = {0};
    int most = 0;
    distinct->now++;
    for (; group; group &= group - 1) {
      const u64 a = address[first + __builtin_ctz(group)];
      for (u64 x = a >> 2; x <= (a + size - 1) >> 2; x++)
        if (distinct->add(x) && ++words[x & 31] > most) most = words[x & 31];
    }
    *passes += most, ++*ideal;
  }
}

// Neighbouring requests of a site nearly always have one shape, moved: the counts are those of the last one when the
// mask, the differences to the first lane and the place in the 32-byte sector are.
static inline bool same_shape(const Pattern &p, const u64 *address, u32 mask, u64 first) {
  if (p.mask != mask || p.key != (u32)(first & 31)) return false;
  u32 different = 0;
  for (int l = 0; l < 32; l++) different |= (u32)(address[l] - first) ^ p.delta[l];
  return !different;
}

static void request(Worker *w, u32 site, u32 mask, u64 *address) {
  Site &s = w->sites[site];
  if (EMU_UNLIKELY(launch.request.trace_limit)) trace_request(w, site, mask, address);
  const u64 first = address[__builtin_ctz(mask)];
  u32 high = 0;
  for (int l = 0; l < 32; l++) {  // lanes that take no part repeat the first, so that the loop has no branch
    if (!(mask >> l & 1)) address[l] = first;
    high |= (u32)((address[l] ^ first) >> 32);
  }
  Pattern &p = w->patterns[site];
  if (EMU_UNLIKELY(high || !s.pattern_valid || !same_shape(p, address, mask, first))) {
    u32 shared = 0;
    for (u32 m = mask; m; m &= m - 1)
      if (address[__builtin_ctz(m)] & kSharedBit) shared |= 1u << __builtin_ctz(m);
    p = Pattern{};
    p.mask = mask, p.key = (u32)(first & 31), p.mixed = shared && shared != mask;
    for (int l = 0; l < 32; l++) p.delta[l] = (u32)(address[l] - first);
    if (mask & ~shared) p.sectors = (u16)count_sectors(address, mask & ~shared, s.size);
    if (shared) {
      int passes, ideal;
      count_passes(address, shared, s.size, launch.module->records[site].kind == kRead, &passes, &ideal);
      p.passes = (u16)passes, p.ideal = (u16)ideal;
    }
    s.pattern_valid = !high && !p.mixed;
    if (p.mixed) {  // one instruction on generic pointers: both kinds of memory see a request
      s.requests++, s.lanes += __builtin_popcount(mask & ~shared), s.sectors += p.sectors;
      s.shared_requests++, s.shared_lanes += __builtin_popcount(shared), s.passes += p.passes, s.ideal += p.ideal;
      return;
    }
  }
  const int lanes = __builtin_popcount(mask);
  if (p.passes) s.shared_requests++, s.shared_lanes += lanes, s.passes += p.passes, s.ideal += p.ideal;
  else s.requests++, s.lanes += lanes, s.sectors += p.sectors;
}

static inline void step(Worker *w, u32 site, u32 mask, u64 *const *event) {
  Site &s = w->sites[site];
  if (launch.module->records[site].kind == kBasicBlock) {
    s.warps++, s.threads += __builtin_popcount(mask), w->last_block[w->running_warp] = (int)site;
    return;
  }
  u64 address[32];
  for (u32 m = mask; m; m &= m - 1) address[__builtin_ctz(m)] = *event[__builtin_ctz(m)] & kAddress;
  request(w, site, mask, address);
}

// ---- the graph of steps that a divergent warp took -------------------------------------------------------------------
template <class T> struct List {
  T *at; int count, capacity;
  void add(T v) {
    if (count == capacity) capacity = capacity ? 2 * capacity : 8, at = (T *)realloc(at, capacity * sizeof(T));
    at[count++] = v;
  }
};
struct Graph {
  int *node_of;   // site -> node, -1
  List<int> sites, dominator, order, number, cursor, stack;
  List<List<int>> next, previous;
  int nodes;
  int node(int site) {
    if (node_of[site] >= 0) return node_of[site];
    if (nodes == next.count) next.add(List<int>{}), previous.add(List<int>{});
    next.at[nodes].count = previous.at[nodes].count = 0;
    if (nodes < sites.count) sites.at[nodes] = site; else sites.add(site);
    return node_of[site] = nodes++;
  }
  void edge(int from, int to) {
    const int a = node(from), b = node(to);
    List<int> &n = next.at[a];
    for (int i = 0; i < n.count; i++) if (n.at[i] == b) return;
    n.add(b), previous.at[b].add(a);
  }
  void clear() {
    for (int i = 0; i < nodes; i++) node_of[sites.at[i]] = -1;
    nodes = 0;
  }
  int meet(int a, int b) {
    while (a != b) {
      while (number.at[a] < number.at[b]) a = dominator.at[a];
      while (number.at[b] < number.at[a]) b = dominator.at[b];
    }
    return a;
  }
  void dominators() {  // of the reversed graph: immediate post-dominators
    number.count = dominator.count = cursor.count = order.count = stack.count = 0;
    for (int i = 0; i < nodes; i++) number.add(-1), dominator.add(-1), cursor.add(0);
    const int end = node_of[kEnd];
    number.at[end] = -2, stack.add(end);
    while (stack.count) {
      const int u = stack.at[stack.count - 1];
      if (cursor.at[u] < previous.at[u].count) {
        const int v = previous.at[u].at[cursor.at[u]++];
        if (number.at[v] == -1) number.at[v] = -2, stack.add(v);
      } else {
        number.at[u] = order.count, order.add(u), stack.count--;
      }
    }
    dominator.at[end] = end;
    for (bool changed = true; changed;) {
      changed = false;
      for (int i = order.count - 2; i >= 0; i--) {
        const int u = order.at[i];
        int best = -1;
        for (int k = 0; k < next.at[u].count; k++) {
          const int v = next.at[u].at[k];
          if (dominator.at[v] >= 0) best = best < 0 ? v : meet(best, v);
        }
        if (best != dominator.at[u]) dominator.at[u] = best, changed = true;
      }
    }
  }
};
static __thread Graph *graph;

// Walk the lanes of `mask` until each stands at `stop`. `before` is the step they took last together.
static void walk(Worker *w, u32 mask, int stop_at, int before, int block, u64 **event, u64 **end) {
  for (;;) {
    u32 active = 0, same = 0;
    int head = -1;
    for (u32 m = mask; m; m &= m - 1) {
      const int l = __builtin_ctz(m);
      if (event[l] >= end[l] || (int)site_of(*event[l]) == stop_at) continue;
      const int site = (int)site_of(*event[l]);
      active |= 1u << l;
      if (head < 0) head = site;
      if (site == head) same |= 1u << l;
    }
    if (!active) return;
    mask = active;
    if (same == active) {
      step(w, (u32)head, active, event);
      for (u32 m = active; m; m &= m - 1) event[__builtin_ctz(m)]++;
      before = head;
      if (launch.module->records[head].kind == kBasicBlock) block = head;
      continue;
    }
    if (block >= 0) w->sites[block].divergent++;
    const int meeting = graph->sites.at[graph->dominator.at[graph->node_of[before]]];
    bool moved = false;
    for (u32 todo = active; todo;) {
      const int site = (int)site_of(*event[__builtin_ctz(todo)]);
      u32 group = 0;
      for (u32 m = todo; m; m &= m - 1)
        if ((int)site_of(*event[__builtin_ctz(m)]) == site) group |= 1u << __builtin_ctz(m);
      todo &= ~group;
      if (site != meeting) walk(w, group, meeting, before, block, event, end), moved = true;
    }
    if (!moved) return;
  }
}

static void replay_divergent(Worker *w, u32 mask, u64 **event, u64 **end) {
  if (!graph) {
    graph = (Graph *)calloc(1, sizeof(Graph));
    graph->node_of = (int *)malloc((kEnd + 1) * sizeof(int));
    memset(graph->node_of, 0xff, (kEnd + 1) * sizeof(int));
  }
  graph->node(0);
  for (u32 m = mask; m; m &= m - 1) {
    const int l = __builtin_ctz(m);
    int from = 0;
    for (u64 *e = event[l]; e < end[l]; e++) {
      const int to = (int)site_of(*e);
      graph->edge(from, to);
      from = to;
    }
    graph->edge(from, kEnd);
  }
  graph->dominators();
  walk(w, mask, kEnd, 0, w->last_block[w->running_warp], event, end);
  graph->clear();
}

static u32 lanes_with_events(Worker *w, bool *same) {
  u32 mask = 0;
  int first = -1;
  *same = true;
  for (int l = 0; l < 32; l++) {
    const LaneLog &g = w->lanes[l];
    if (g.next == g.begin) continue;
    mask |= 1u << l;
    if (first < 0) first = l;
    else *same &= g.hash == w->lanes[first].hash && g.next - g.begin == w->lanes[first].next - w->lanes[first].begin;
  }
  return mask;
}
bool uniform(Worker *w) {
  bool same;
  lanes_with_events(w, &same);
  return same;
}

// The window is complete: count it and empty the logs.
void replay(Worker *w) {
  bool same;
  const u32 mask = lanes_with_events(w, &same);
  if (!mask) return;
  u64 *event[32], *end[32];
  for (int l = 0; l < 32; l++) event[l] = w->lanes[l].begin, end[l] = w->lanes[l].next;
  if (same) {
    const int first = __builtin_ctz(mask);
    const int64_t count = end[first] - event[first];
    const int64_t stride = w->lanes[1].begin - w->lanes[0].begin;
    const u64 *base = w->lanes[0].begin;
    const int lanes = __builtin_popcount(mask);
    for (int64_t i = 0; i < count; i++) {
      const u32 site = site_of(event[first][i]);
      if (launch.module->records[site].kind == kBasicBlock) {
        w->sites[site].warps++, w->sites[site].threads += lanes, w->last_block[w->running_warp] = (int)site;
        continue;
      }
      u64 address[32];
      for (int l = 0; l < 32; l++) address[l] = base[l * stride + i] & kAddress;
      request(w, site, mask, address);
    }
  } else {
    replay_divergent(w, mask, event, end);
  }
  for (LaneLog &g : w->lanes) g.next = g.begin, g.hash = 0;
}
