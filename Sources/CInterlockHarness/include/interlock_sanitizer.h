#ifndef INTERLOCK_SANITIZER_H
#define INTERLOCK_SANITIZER_H

// Which sanitizer is built in. Not part of the users' API.

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// True if ThreadSanitizer is built in. It maps terabytes, which no address-space limit allows.
bool interlock_under_thread_sanitizer(void);

#ifdef __cplusplus
}
#endif

#endif
