// Leaving one fiber for another: the registers that a C function must keep, the stack pointer, and the address to go on.
// The last step is an indirect jump, not a return: fibers that stop at one barrier go on at one address, so the jump is
// predicted, while a return would be mispredicted each time (about 20 cycles).
#include "emulator.h"

#if defined(__x86_64__)
asm(R"(
.text
.globl emu_switch
.hidden emu_switch
.type emu_switch,@function
emu_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmpq *%rcx
.size emu_switch,.-emu_switch

.globl emu_syncthreads_fast
.type emu_syncthreads_fast,@function
emu_syncthreads_fast:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, %rsi
  subq $8, %rsp
  call emu_next_at_barrier
  movq %rax, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmpq *%rcx
.size emu_syncthreads_fast,.-emu_syncthreads_fast
)");

void *prepare_stack(char *stack, void (*entry)()) {
  static __thread unsigned turn;  // different offsets, or the hot words of all stacks would share one cache set
  word top = ((word)stack + kStack - 64 - ((turn++ * 192) & 4095)) & ~(word)63;
  void **p = (void **)top;
  *--p = nullptr;  // the entry's own return address: it never returns
  *--p = (void *)entry;
  for (int i = 0; i < 6; i++) *--p = nullptr;
  return p;
}
#elif defined(__aarch64__)
asm(R"(
.text
.globl emu_switch
.hidden emu_switch
.type emu_switch,%function
emu_switch:
  sub sp, sp, #160
  stp x19, x20, [sp]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
.Lrestore:
  ldp x19, x20, [sp]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  br x30
.size emu_switch,.-emu_switch

.globl emu_syncthreads_fast
.type emu_syncthreads_fast,%function
emu_syncthreads_fast:
  sub sp, sp, #160
  stp x19, x20, [sp]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x1, sp
  bl emu_next_at_barrier
  mov sp, x0
  b .Lrestore
.size emu_syncthreads_fast,.-emu_syncthreads_fast
)");

void *prepare_stack(char *stack, void (*entry)()) {
  static __thread unsigned turn;
  word top = ((word)stack + kStack - 64 - ((turn++ * 192) & 4095)) & ~(word)63;
  void **p = (void **)(top - 160);
  memset(p, 0, 160);
  p[11] = (void *)entry;  // x30
  return p;
}
#else
#error "the emulator's runtime knows x86-64 and aarch64"
#endif
