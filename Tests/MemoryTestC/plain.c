// Code that is compiled without the option and passes memory from one thread to another. The check
// does not see this order, so it cannot decide whether the accesses race. If such code runs but
// cannot order the accesses, they race.
#include <sched.h>

#include "memory_test.h"
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

// Functions that call no other function.

PLAIN void memory_test_give(int *at) { __atomic_store_n(at, 1, __ATOMIC_RELEASE); }
PLAIN bool memory_test_is_given(const int *at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }

static void *give_by_leaf(void *unused) {
  number = 1;
  memory_test_give(&flag);
  return unused;
}
static void *take_by_leaf(void *unused) {
  while (!memory_test_is_given(&flag)) sched_yield();
  number++;
  return unused;
}
static void plain_leaf(void) { run_both(give_by_leaf, take_by_leaf); }

// The arguments of a plain function, of every kind of register and on the stack.

PLAIN static int has_all(int a, int b, int c, int d, int e, int f, int g, double x, double y,
                         double z) {
  hand_over();
  return a == 1 && b == 2 && c == 3 && d == 4 && e == 5 && f == 6 && g == 7 && x == 0.5 &&
         y == 1.5 && z == 2.5;
}
static void *give_with_arguments(void *unused) {
  number = 1;
  if (!has_all(1, 2, 3, 4, 5, 6, 7, 0.5, 1.5, 2.5)) __builtin_trap();
  return unused;
}
static void plain_arguments(void) { run_both(give_with_arguments, take); }

// A third thread takes the number by plain code, and passes it on by a lock.

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_handed_on;

static void *hand_on(void *unused) {
  wait_for_it();
  pthread_mutex_lock(&lock);
  is_handed_on = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}
static void *take_from_lock(void *unused) {
  for (int is_there = 0; !is_there; sched_yield()) {
    pthread_mutex_lock(&lock);
    is_there = is_handed_on;
    pthread_mutex_unlock(&lock);
  }
  number++;
  return unused;
}
static void plain_chain(void) {
  pthread_t third;
  pthread_create(&third, NULL, hand_on, NULL);
  run_both(give, take_from_lock);
  pthread_join(third, NULL);
}

// Plain code calls the instrumented functions that make the accesses.

static void write_number(void) { number = 1; }
static void change_number(void) { number++; }

PLAIN static void *call_and_hand_over(void *unused) {
  write_number();
  hand_over();
  return unused;
}
PLAIN static void *wait_and_call(void *unused) {
  wait_for_it();
  change_number();
  return unused;
}
static void plain_callers(void) { run_both(call_and_hand_over, wait_and_call); }
static void plain_caller_takes(void) { run_both(give, wait_and_call); }
static void plain_caller_gives(void) { run_both(call_and_hand_over, take); }

// Races.

static int is_written;

static void *give_before(void *unused) {
  hand_over();
  number = 1;
  set_relaxed(&is_written);
  return unused;
}
static void *take_before(void *unused) {
  wait_for_it();
  await_relaxed(&is_written);
  number++;
  return unused;
}
static void plain_given_before(void) { run_both(give_before, take_before); }

static void *take_after(void *unused) {
  await_relaxed(&is_written);
  number++;
  wait_for_it();
  return unused;
}
static void *give_written(void *unused) {
  number = 1;
  set_relaxed(&is_written);
  hand_over();
  return unused;
}
static void plain_taken_after(void) { run_both(give_written, take_after); }

static int is_over;

static void *take_early(void *unused) {
  hand_over();
  // The access shows the check that the call has ended.
  static volatile int own __attribute__((unused));
  own = 1;
  set_relaxed(&is_over);
  await_relaxed(&is_written);
  number++;
  return unused;
}
static void *give_late(void *unused) {
  await_relaxed(&is_over);
  number = 1;
  hand_over();
  set_relaxed(&is_written);
  return unused;
}
static void plain_taken_early(void) { run_both(give_late, take_early); }

const memory_program memory_plain_programs[] = {
    {"plain_order.undecided", plain_order},
    {"plain_leaf.undecided", plain_leaf},
    {"plain_arguments.undecided", plain_arguments},
    {"plain_chain.undecided", plain_chain},
    {"plain_callers.undecided", plain_callers},
    {"plain_caller_takes.undecided", plain_caller_takes},
    {"plain_caller_gives.undecided", plain_caller_gives},
    {"plain_given_before.racy", plain_given_before},
    {"plain_taken_after.racy", plain_taken_after},
    {"plain_taken_early.racy", plain_taken_early},
    {NULL, NULL},
};
