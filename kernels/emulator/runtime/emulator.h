// The emulator's runtime: what a module, a launch, a worker, a thread and a site are. No C++ library: it links with any
// compiler's plain C runtime. One launch at a time a process; its blocks are spread over worker threads of the CPU.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EMU_API extern "C" __attribute__((visibility("default")))
#define EMU_LIKELY(x) __builtin_expect(!!(x), 1)
#define EMU_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define EMU_OUT_OF_LINE __attribute__((noinline))
// Words live in 8 bytes, 48 bits are a user address on x86-64 and aarch64; bit 47 marks shared memory, whose addresses
// are counted from the start of the block's shared memory.
typedef uintptr_t word;
typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;
typedef uint8_t u8;
struct uint3 { unsigned x, y, z; };
struct EmuPosition { uint3 block, block_dim, grid_dim; };

// What can be wrong. The order is known to faults.py.
enum FaultKind {
  kGlobalBounds = 1, kSharedBounds, kSharedRace, kGlobalRace, kUninitialised, kBarrier, kWarp, kConstWrite, kMisaligned,
  kTimeOut, kNan, kStackOverflow, kCrash, kPrintf, kTrap
};
enum BarrierDetail { kSomeExited = 1, kOtherBarrier };
enum WarpDetail { kLaneNotInMask = 1, kAbsentLane, kDeadlock };
struct Fault {
  int kind, line, other_line, array;  // array: a pointer argument's number; -1 none; -2 - i the shared array i
  int64_t offset;                     // bytes from the array's start; else a mask, an address or a lane
  int size, is_write, detail, extra;
  uint3 thread, block;
  int other_thread, other_block;      // linear; -1 unknown
  u64 count;
};

// Laid down by annotate.py behind each call of a hook: see there.
enum SiteKind { kRead = 0, kWrite = 1, kAtomic = 2, kBasicBlock = 3, kCode = 4 };
struct SiteRecord {
  int64_t label;  // relative to the record itself
  int line, branch_line;
  u16 kind, size;
  u32 fused, flops;
};
static_assert(sizeof(SiteRecord) == 32, "annotate.py writes 32 bytes a record");

// Race and initialisation state of four bytes of memory, per worker. See shadow.h.
struct Mark { u32 epoch, block; u16 thread, site, clock; u8 mask, flags; };
struct Cell { Mark write, read, other_read; u32 lanes; };  // lanes: all of read's warp that read, at read's clock
struct Region {
  word lo, hi;
  Cell *cells;     // null: nothing can go wrong here, the memory is never written
  int array;
  u8 constant, floating, shared;
  u8 silent;       // __constant__: read through a cache of its own, which is not counted
};
struct SharedArray { u64 offset, size; };
struct Variable { word address; u64 size, constant; };  // __device__ and __constant__
static const int kVariable = 1 << 20;                    // the array number of variable 0

// A place in the kernel's text that touches memory or begins a basic block, as one worker sees it.
struct Site {
  word lo, span;   // the region found last: an access at a is inside it when a - lo <= span
  Region *region;
  u8 kind; u8 size; u16 align_mask;
  u64 requests, lanes, sectors;                        // global
  u64 shared_requests, shared_lanes, passes, ideal;    // shared
  u64 warps, threads, divergent;
  u64 pattern_valid;
};
struct Pattern { u32 key; u16 sectors, passes, ideal, mixed; u32 mask; u32 delta[32]; };
struct SiteCounts {
  u64 requests, lanes, sectors, shared_requests, shared_lanes, passes, ideal, warps, threads, divergent;
};

struct Module {
  void *handle;
  word image_lo, image_hi, text_lo, text_hi, base;
  SiteRecord *records;  // null in a fast build without sites
  int count;
  int *by_address;      // site numbers, by the address of their label
  SharedArray *shared; int shared_count;
  Variable *variables; int variable_count;
  int granule;          // bytes that one record of races watches: 4, or 1
  u64 shared_bytes, dynamic_offset;  // dynamic_offset: ~0 when the kernel text has no dynamic shared array
  size_t tls_module; u64 tls_size;
};

enum ThreadState : u8 { kNew, kReady, kFull, kAtBarrier, kAtWarpOp, kDone };
enum WarpOp : u8 { kShuffleIndex, kShuffleUp, kShuffleDown, kShuffleXor, kSyncWarp, kBallot, kMatch };
struct Thread {
  void *stack_pointer; char *stack;
  ThreadState state; u8 op; u16 width; int argument;
  u32 mask, line, epoch;
  int reduce, predicate;
  u64 value, result, steps;
  word return_address;
  uint3 index;
};
// The events of one lane since its warp was last together: site << 48 | address.
struct LaneLog { u64 *begin, *next; u64 hash; };
static const int kLaneEvents = 32 << 10, kLaneWindow = 4 << 10;  // 4096 events of 32 lanes are 1 MB: they stay in L2
static const size_t kStack = 64 << 10;
static const int kMaxThreads = 1024;

struct ArrayArgument { word address; u64 bytes; int constant, floating; };
struct TraceRecord { u32 block, warp, site, mask; u64 address[32]; };
struct LaunchRequest {
  void (*thread)(void **); void (*whole)(void **, const EmuPosition *);
  void **arguments;
  uint3 grid, block;
  u64 dynamic_bytes;
  ArrayArgument *arrays; int array_count;
  int checked, order, workers, nan, trace_limit, sync;
  u64 step_limit;   // basic blocks a thread may run
};
struct Launch {
  LaunchRequest request;
  Module *module;
  Region *regions; int region_count;   // a worker copies them and adds its own cells
  u64 blocks;
  volatile u64 next_block;
  volatile int abort;
};

struct Worker {
  // hot: touched at every access
  Thread *current; u64 *log; u64 *log_end; u64 hash; Site *sites; word stack_lo; u64 steps_left;
  word shared_lo; u64 shared_size; u32 epoch, block; int counting;
  word nan_address; u32 nan_site, nan_size;
  // the launch
  int id, thread_count, warp_count, finished;
  uint3 block_index;
  Thread threads[kMaxThreads];
  void *scheduler; u32 first_epoch;
  int lane_order[32], warp_order[32];
  u64 barriers, warps_run, cut_windows;
  // warps
  u32 warp_live[32], warp_waiting[32];
  u16 clocks[32][32][32]; u8 clocks_used[32];
  int last_block[32];     // the basic block that each warp was in when it was counted last; -1 none
  int running_warp, next_lane; u8 together, window_full;
  int window;
  LaneLog lanes[32];
  int arrived, chained;   // fast barriers
  void *escape[8];        // where a crash in a loop build goes
  // memory
  Region *shared_regions; Cell *shared_cells; u64 shared_cell_count;
  Region *regions;                      // the arrays, sorted by address; cells are this worker's own
  Pattern *patterns;
  char **free_stacks; int free_count, free_capacity;
  char **stack_blocks; int block_count, block_capacity;  // all of them, 32 stacks each
  char *signal_stack;
  Fault *faults; int fault_count;
  volatile int in_kernel;
};
static const int kMaxFaults = 100;

extern Launch launch;
extern __thread Worker *self __attribute__((tls_model("initial-exec")));

// switch.cpp
extern "C" void emu_switch(void **save, void *load);
// faults.cpp
int line_of(Module *module, word address);
Fault *add_fault(Worker *w, FaultKind kind, int line, int other_line, int array, int64_t offset);
[[noreturn]] void stop(Worker *w);           // end the launch from within a thread
// fibers.cpp
char *take_stack(Worker *w);
void *prepare_stack(char *stack, void (*entry)());
void give_stack(Worker *w, char *stack);
void reclaim_stacks(Worker *w);
// check.cpp, fast.cpp
void run_block_checked(Worker *w);
void run_block_fibers(Worker *w);
void start_threads(Worker *w);
bool release_barrier(Worker *w);
void next_epoch(Worker *w);
void leave_fast(Worker *w, Thread *t);
void yield_full(Worker *w);
void finish_nan(Worker *w);
// warp.cpp
void resolve_warp_ops(Worker *w, int warp);
u64 wait_warp_op(WarpOp op, u32 mask, u64 value, int argument, int width, word return_address);
// replay.cpp
void replay(Worker *w);
bool uniform(Worker *w);
// merge.cpp
void merge_workers(Worker **workers, int count);
// fences.cpp
void fences_clear();
void meet(Worker *w, word address);
bool released(Worker *w, const Mark &mark, int thread);
// trace.cpp
void trace_request(Worker *w, u32 site, u32 mask, const u64 *address);

static inline int thread_number(Worker *w) { return (int)(w->current - w->threads); }

// Leave the running thread for the scheduler, with its log and its steps kept.
static inline void suspend(Worker *w, Thread *t) {
  LaneLog &g = w->lanes[(t - w->threads) & 31];
  g.next = w->log, g.hash = w->hash, t->steps = w->steps_left;
  w->current = nullptr;
  emu_switch(&t->stack_pointer, w->scheduler);
}
void *emu_map(size_t bytes);
void emu_unmap(void *memory, size_t bytes);
