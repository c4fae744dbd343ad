// The thread-specific data of a logical thread. It lies in the parked pthread whose thread base the
// carrier has; its destructors run when the logical thread ends.
#include "logical_threads.h"

#ifdef INTERLOCK_INTERPOSES

#include <limits.h>

void interlock_run_destructors(void) {
  // As many rounds as in the C library, because a destructor may set data again.
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
    bool has_run = false;
    for (pthread_key_t key = 0; key < interlock_key_end; key++) {
      void (*destructor)(void *) = interlock_key_destructors[key];
      void *data = pthread_getspecific(key);
      if (!data) continue;
      pthread_setspecific(key, NULL);
      if (!destructor) continue;
      destructor(data);
      has_run = true;
    }
    if (!has_run) return;
  }
  // A real thread's remaining data ends with the thread. This pthread will carry another logical
  // thread.
  interlock_forget_specific_data();
}

void interlock_forget_specific_data(void) {
  for (pthread_key_t key = 0; key < interlock_key_end; key++) {
    if (pthread_getspecific(key)) pthread_setspecific(key, NULL);
  }
}

#endif
