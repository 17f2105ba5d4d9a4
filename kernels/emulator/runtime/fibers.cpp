// Stacks of fibers: 64 KB each, with an unmapped page below, so that runaway recursion is seen.
#include "emulator.h"
#include <sys/mman.h>

static const size_t kPage = 4096, kBatch = 32;

void *emu_map(size_t bytes) {
  void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}
void emu_unmap(void *memory, size_t bytes) {
  if (memory) munmap(memory, bytes);
}

void give_stack(Worker *w, char *stack) {
  if (w->free_count == w->free_capacity) {
    w->free_capacity = w->free_capacity ? 2 * w->free_capacity : 64;
    w->free_stacks = (char **)realloc(w->free_stacks, w->free_capacity * sizeof(char *));
  }
  w->free_stacks[w->free_count++] = stack;
}

// After a launch that was stopped: whoever still stands on a stack never goes on.
void reclaim_stacks(Worker *w) {
  w->free_count = 0;
  for (int b = 0; b < w->block_count; b++)
    for (size_t i = 0; i < kBatch; i++) give_stack(w, w->stack_blocks[b] + i * (kStack + kPage) + kPage);
}

char *take_stack(Worker *w) {
  if (!w->free_count) {
    char *block = (char *)emu_map(kBatch * (kStack + kPage));
    if (!block) return nullptr;
    for (size_t i = 0; i < kBatch; i++) {
      mprotect(block + i * (kStack + kPage), kPage, PROT_NONE);
      give_stack(w, block + i * (kStack + kPage) + kPage);
    }
    if (w->block_count == w->block_capacity) {
      w->block_capacity = w->block_capacity ? 2 * w->block_capacity : 8;
      w->stack_blocks = (char **)realloc(w->stack_blocks, (size_t)w->block_capacity * sizeof(char *));
    }
    w->stack_blocks[w->block_count++] = block;
  }
  return w->free_stacks[--w->free_count];
}
