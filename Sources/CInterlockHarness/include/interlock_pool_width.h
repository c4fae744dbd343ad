#ifndef INTERLOCK_POOL_WIDTH_H
#define INTERLOCK_POOL_WIDTH_H

/// The environment variable with the number of processors for which this process's thread pools are
/// sized.
#define INTERLOCK_POOL_WIDTH_VARIABLE "INTERLOCK_POOL_WIDTH"

/// The maximum of the variable: the size of the system's set of processors.
#define INTERLOCK_POOL_WIDTH_MOST 1024

/// Returns the number of processors reported to this process's pools, or 0 if the real number is
/// reported.
///
/// The real number is reported without the variable, on systems other than Linux, and under
/// ThreadSanitizer.
int interlock_pool_width(void);

#endif
