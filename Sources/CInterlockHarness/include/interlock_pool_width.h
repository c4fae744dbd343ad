#ifndef INTERLOCK_POOL_WIDTH_H
#define INTERLOCK_POOL_WIDTH_H

/// The environment variable that says how many processors the thread pools of this process are made
/// for.
#define INTERLOCK_POOL_WIDTH_VARIABLE "INTERLOCK_POOL_WIDTH"

/// The most processors that it may say: what the system's set of processors has room for.
#define INTERLOCK_POOL_WIDTH_MOST 1024

/// How many processors the pools of this process were told of, or 0 where they were told the truth:
/// without the variable, on systems other than Linux, and under ThreadSanitizer.
int interlock_pool_width(void);

#endif
