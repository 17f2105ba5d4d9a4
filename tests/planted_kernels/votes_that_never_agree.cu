// state [64]: each thread turns into its left neighbour's opposite until nobody changes. On a ring of odd length there
// is no such state, and the block meets at its barriers for ever.
extern "C" __global__ void votes_that_never_agree(int *state, int length) {
  __shared__ int now[64];
  const int t = threadIdx.x;
  now[t] = state[t];
  int changed = 1;
  while (changed) {  // FAULT: time-out
    __syncthreads();
    const int next = t < length ? 1 - now[(t + length - 1) % length] : 0;  // OR
    changed = __syncthreads_or(next != now[t]);  // OR
    now[t] = next;  // OR
  }
  state[t] = now[t];
}
