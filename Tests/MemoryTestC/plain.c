// Code that is compiled without the option, and hands memory from one thread to another: the order
// is not seen.
#include <sched.h>

#include "programs.h"

#define PLAIN __attribute__((disable_sanitizer_instrumentation, noinline))

static int flag;
static volatile int number;

PLAIN static void hand_over(void) {
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  sched_yield();
}
PLAIN static void wait_for_it(void) {
  while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) sched_yield();
}

static void *give(void *unused) {
  number = 1;
  hand_over();
  return unused;
}
static void *take(void *unused) {
  wait_for_it();
  number++;
  return unused;
}
static void plain_order(void) { run_both(give, take); }

const memory_program memory_plain_programs[] = {
    {"plain_order.undecided", plain_order},
    {NULL, NULL},
};
