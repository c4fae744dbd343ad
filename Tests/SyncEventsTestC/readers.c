// Readers that replace each other in one slot while a thread publishes: after each instruction of
// that thread, one at a time.
#include <pthread.h>
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

// The processor's trap flag raises SIGTRAP after each instruction. The macro keeps 128 bytes below
// the stack pointer free, because the compiler may store words there.
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

// A leaf reader of locks beside another reader.

static void *called_from;
static void read_leaf(const interlock_event *event, void *context) { (void)event, (void)context; }
static void read_none(const interlock_event *event, void *context) { (void)event, (void)context; }
__attribute__((noinline)) static void read_lock(interlock_event_kind kind,
                                                interlock_object_kind object_kind,
                                                const void *object, uint32_t flags,
                                                uintptr_t place, uintptr_t frame) {
  (void)object_kind, (void)object, (void)flags, (void)place, (void)frame;
  if (kind == INTERLOCK_EVENT_RELEASE) called_from = __builtin_return_address(0);
}

/// The return address of the reader's call.
static void *caller_beside(uint32_t kinds) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  if (kinds && !interlock_events_add(read_none, NULL, kinds)) return NULL;
  called_from = NULL;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  if (kinds) interlock_events_remove(read_none, NULL);
  return called_from;
}

int sync_events_direct_lock_events(void) {
  const uint32_t of_locks = INTERLOCK_EVENT_WAIT | INTERLOCK_EVENT_ACQUIRE |
                            INTERLOCK_EVENT_GIVE_UP | INTERLOCK_EVENT_RELEASE;
  if (!interlock_events_add_leaf(read_leaf, read_lock, of_locks)) return -1;
  void *alone = caller_beside(0);
  if (!alone) return -2;
  return 1 | (caller_beside(INTERLOCK_EVENT_CONFIGURE) == alone) << 1 |
         (caller_beside(INTERLOCK_EVENT_RELEASE) == alone) << 2;
}
