// place [n] = last element of sorted [length] that is not larger than the query. With two candidates left, the middle
// is the lower one again, and the interval stays as it is.
extern "C" __global__ void bisection_that_stands_still(const float *sorted, const float *query, int *place,
                                                       int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int low = 0, high = length - 1;
  while (low < high) {  // FAULT: time-out
    const int middle = (low + high) / 2;  // OR
    if (sorted[middle] <= query[i]) low = middle;  // OR
    else high = middle - 1;  // OR
  }
  place[i] = low;
}
