// The Good-Turing estimator. The share of traces seen exactly once among all executions estimates
// the chance that the next execution has a new trace, which is the share of traces not reached yet.
//
// Source: Good, "The Population Frequencies of Species and the Estimation of Population
// Parameters", Biometrika 40, 1953.

#include "interlock_strategies.h"

#include <stdlib.h>

struct interlock_estimate {
  /// The hashes of traces, and the number of times that each was seen, up to 2.
  uint64_t *traces;
  uint8_t *seen;
  size_t capacity, distinct, once;
  uint64_t count;
};

interlock_estimate *interlock_estimate_create(void) {
  return calloc(1, sizeof(interlock_estimate));
}

void interlock_estimate_destroy(interlock_estimate *estimate) {
  if (!estimate) return;
  free(estimate->traces);
  free(estimate->seen);
  free(estimate);
}

static size_t place_of(const uint64_t *traces, size_t capacity, uint64_t trace) {
  size_t i = (size_t)(trace ^ trace >> 32) & (capacity - 1);
  while (traces[i] && traces[i] != trace) i = (i + 1) & (capacity - 1);
  return i;
}

static bool grow(interlock_estimate *estimate) {
  size_t capacity = estimate->capacity ? estimate->capacity * 2 : 256;
  uint64_t *traces = calloc(capacity, sizeof *traces);
  uint8_t *seen = calloc(capacity, sizeof *seen);
  if (!traces || !seen) {
    free(traces);
    free(seen);
    return false;
  }
  for (size_t i = 0; i < estimate->capacity; i++) {
    if (!estimate->traces[i]) continue;
    size_t place = place_of(traces, capacity, estimate->traces[i]);
    traces[place] = estimate->traces[i];
    seen[place] = estimate->seen[i];
  }
  free(estimate->traces);
  free(estimate->seen);
  estimate->traces = traces;
  estimate->seen = seen;
  estimate->capacity = capacity;
  return true;
}

bool interlock_estimate_add(interlock_estimate *estimate, uint64_t trace) {
  if (estimate->distinct * 2 >= estimate->capacity && !grow(estimate)) return false;
  trace += !trace;
  size_t place = place_of(estimate->traces, estimate->capacity, trace);
  estimate->count++;
  estimate->distinct += !estimate->traces[place];
  estimate->traces[place] = trace;
  if (estimate->seen[place] < 2) {
    estimate->seen[place]++;
    if (estimate->seen[place] == 1) {
      estimate->once++;
    } else {
      estimate->once--;
    }
  }
  return true;
}

uint64_t interlock_estimate_distinct(const interlock_estimate *estimate) {
  return estimate->distinct;
}

double interlock_estimate_coverage(const interlock_estimate *estimate) {
  if (estimate->count == 0) return 0;
  return 1 - (double)estimate->once / (double)estimate->count;
}
