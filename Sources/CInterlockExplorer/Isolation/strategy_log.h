/// The calls of one execution on a strategy, for another process that has the strategy's original.
///
/// A strategy depends on its calls alone. A child process asks its copy of the strategy and logs
/// the calls; the parent repeats the calls on the original, which then has the same state as the
/// copy.
#ifndef INTERLOCK_STRATEGY_LOG_H
#define INTERLOCK_STRATEGY_LOG_H

#include "../control.h"

enum { INTERLOCK_LOG_WORDS = 1 << 27 };

typedef struct {
  size_t count;
  /// A call was left out because the log was full.
  bool is_full;
  /// The strategy has had the end of the execution.
  bool has_ended;
  interlock_execution_end end;
  uint32_t words[INTERLOCK_LOG_WORDS];
} interlock_strategy_log;

/// The pending operations at the last call, in either process.
typedef struct {
  interlock_operation *items;
  size_t count, room;
} interlock_pending_list;

/// A strategy that logs the calls on another strategy. Zero-initialised.
typedef struct {
  interlock_strategy strategy;
  interlock_strategy *inner;
  interlock_strategy_log *log;
  bool has_begun;
  interlock_pending_list pending;
} interlock_logged_strategy;

/// Makes `self` a strategy for one execution that `inner` has begun.
interlock_strategy *interlock_strategy_logged(interlock_logged_strategy *self,
                                              interlock_strategy *inner,
                                              interlock_strategy_log *log) HIDDEN;

/// Repeats the logged calls. Returns false if the strategy answers otherwise than its copy did, if
/// the log is full, or if no engine writes such a log: the explored body can write into it.
bool interlock_strategy_follow(interlock_strategy *strategy,
                               const interlock_strategy_log *log) HIDDEN;

#endif
