// Readers that replace each other in one slot while a thread publishes: after each instruction of
// that thread in turn.
#include <signal.h>
#include <stddef.h>

#include "interlock_events.h"
#include "sync_events_test.h"

#ifdef __x86_64__

static int first_context, second_context;
static long steps, swap_after, mixed;
static bool has_second;

static void first(const interlock_event *event, void *context) {
  (void)event;
  if (context != &first_context) mixed++;
}
static void second(const interlock_event *event, void *context) {
  (void)event;
  if (context != &second_context) mixed++;
}

static bool add(void) {
  return has_second ? interlock_events_add(second, &second_context, INTERLOCK_EVENT_CONFIGURE)
                    : interlock_events_add(first, &first_context, INTERLOCK_EVENT_CONFIGURE);
}

static void swap_readers(void) {
  if (has_second) {
    interlock_events_remove(second, &second_context);
  } else {
    interlock_events_remove(first, &first_context);
  }
  has_second = !has_second;
  if (!add()) mixed = -1;
}

static void note_step(int signal) {
  (void)signal;
  if (++steps == swap_after) swap_readers();
}

// The processor's trap flag raises SIGTRAP after each instruction. The compiler may store words
// below the end of the stack.
#define CHANGE_TRAP_FLAG(change)                                                                \
  __asm__ volatile("lea -128(%%rsp), %%rsp\n pushfq\n " change                                  \
                   "\n popfq\n lea 128(%%rsp), %%rsp\n" ::: "memory", "cc")

long sync_events_mixed_readers(void) {
  struct sigaction action = {.sa_handler = note_step};
  sigaction(SIGTRAP, &action, NULL);
  sync_events_unblock(SIGTRAP);
  interlock_event event = {.kind = INTERLOCK_EVENT_CONFIGURE, .value = 5};
  event.object = &event;
  if (!add()) return -1;
  do {
    swap_after++;
    steps = 0;
    CHANGE_TRAP_FLAG("orq $0x100, (%%rsp)");
    interlock_events_publish(&event);
    CHANGE_TRAP_FLAG("andq $~0x100, (%%rsp)");
  } while (steps >= swap_after && mixed >= 0);
  return swap_after > 20 ? mixed : -1;
}

#else
long sync_events_mixed_readers(void) { return 0; }
#endif
