/// The state of a recorder. Included by `Strategies/` only.
#ifndef INTERLOCK_RECORDER_H
#define INTERLOCK_RECORDER_H

#include "schedule.h"
#include "Reduction/step_record.h"

typedef struct {
  /// An identity that is the same in every execution.
  uint64_t identity;
  /// The hash of the thread's last step, or of the step that made the thread.
  uint64_t last;
  uint32_t made;
} interlock_recorded_thread;

typedef struct {
  interlock_step_record *record;
  uint64_t hash;
} interlock_recorded_step;

typedef struct {
  interlock_strategy strategy;
  interlock_strategy *inner;
  bool hashes_traces;
  interlock_schedule schedule, picks;
  uint64_t order, trace, picked;
  uint32_t switches, preemptions;
  uint32_t *steps;
  size_t step_count, step_capacity;
  interlock_recorded_thread *threads;
  size_t thread_capacity;
  uint32_t thread_count;
  interlock_recorded_step *records;
  size_t record_count, record_capacity;
} interlock_recorder;

#endif
