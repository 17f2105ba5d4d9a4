// The requests of a small launch, one by one, for pictures.
#include "emulator.h"

static TraceRecord *records;
static int count, capacity;

void trace_request(Worker *w, u32 site, u32 mask, const u64 *address) {
  if (count >= launch.request.trace_limit) {
    count = launch.request.trace_limit + 1;  // one more than fits: the caller sees that some are missing
    return;
  }
  if (count == capacity) {
    capacity = capacity ? 2 * capacity : 1024;
    records = (TraceRecord *)realloc(records, capacity * sizeof(TraceRecord));
  }
  TraceRecord &r = records[count++];
  r.block = w->block - 1, r.warp = (u32)w->running_warp, r.site = site, r.mask = mask;
  for (int l = 0; l < 32; l++) r.address[l] = mask >> l & 1 ? address[l] : 0;
}
void trace_clear() { count = 0; }
EMU_API int emu_trace(const TraceRecord **out) {
  *out = records;
  return count;
}
