// Two threads without any order, and ways to order them: shared by the programs only.
#ifndef INTERLOCK_MEMORY_PROGRAMS_H
#define INTERLOCK_MEMORY_PROGRAMS_H

#include <pthread.h>
#include <sched.h>
#include <stdint.h>

typedef struct {
  const char *name;
  void (*run)(void);
} memory_program;

extern const memory_program memory_access_programs[], memory_order_programs[],
    memory_life_programs[], memory_static_programs[], memory_plain_programs[];

typedef void *thread_body(void *);

/// Runs two bodies on two threads; no call orders one body after the other.
static inline void run_both(thread_body *one, thread_body *other) {
  pthread_t first, second;
  pthread_create(&first, NULL, one, NULL);
  pthread_create(&second, NULL, other, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
}

/// Waits until a flag is set, which orders nothing.
static inline void await_relaxed(int *flag) {
  while (!__atomic_load_n(flag, __ATOMIC_RELAXED)) sched_yield();
}
static inline void set_relaxed(int *flag) { __atomic_store_n(flag, 1, __ATOMIC_RELAXED); }

#endif
