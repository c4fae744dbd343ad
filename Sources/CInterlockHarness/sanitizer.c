#include "interlock_sanitizer.h"

// In C because only the preprocessor knows which sanitizer is built in.

bool interlock_under_thread_sanitizer(void) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  return true;
#endif
#endif
  return false;
}
