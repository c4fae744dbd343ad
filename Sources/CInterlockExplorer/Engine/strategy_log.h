/// The calls of one execution on a strategy, for a copy of the strategy in another process.
///
/// A strategy depends on its calls alone. A child process asks its copy, and logs the calls; the
/// parent repeats them on the original, which then stands where the copy does.
#ifndef INTERLOCK_STRATEGY_LOG_H
#define INTERLOCK_STRATEGY_LOG_H

#include "../control.h"

enum { INTERLOCK_LOG_WORDS = 1 << 27 };

typedef struct {
  size_t count;
  /// A call was left out for want of room.
  bool is_full;
  /// The strategy has had the end of the execution.
  bool has_ended;
  interlock_execution_end end;
  uint32_t words[INTERLOCK_LOG_WORDS];
} interlock_strategy_log;

/// Returns a strategy for one execution that `inner` has begun. There is one in a process.
interlock_strategy *interlock_strategy_logged(interlock_strategy *inner,
                                              interlock_strategy_log *log) HIDDEN;

/// Repeats the calls; false if the strategy answers otherwise than its copy, or the log is full.
bool interlock_strategy_follow(interlock_strategy *strategy,
                               const interlock_strategy_log *log) HIDDEN;

#endif
