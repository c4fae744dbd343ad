// The readers, and what every interposed call needs.
#include "interpose.h"

#ifdef INTERLOCK_INTERPOSES

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

uint32_t interlock_wanted;
__thread interlock_thread_marks interlock_marks;
static __thread uint32_t own_number __attribute__((tls_model("initial-exec")));

typedef struct {
  interlock_reader reader;
  interlock_lock_reader locks;
  void *context;
  uint32_t kinds;
  bool is_leaf;
} reader_slot;

static reader_slot slots[INTERLOCK_READERS];
/// As many of the slots, from the first, as have ever been used.
static int used_slots;
/// Guards changes of the slots; those who publish only read them. Not a mutex: its calls are ours.
static int slots_lock;

static void lock_slots(void) {
  // Acquire and release: what one has changed, the next finds.
  while (__atomic_exchange_n(&slots_lock, 1, __ATOMIC_ACQUIRE)) syscall(SYS_sched_yield);
}

static void unlock_slots(void) { __atomic_store_n(&slots_lock, 0, __ATOMIC_RELEASE); }

void interlock_publish(const interlock_event *event) {
  int used = __atomic_load_n(&used_slots, __ATOMIC_RELAXED);
  for (int index = 0; index < used; index++) {
    reader_slot *slot = &slots[index];
    // Acquire: pairs with the release in `add`; who sees the kinds sees the rest.
    if (!(__atomic_load_n(&slot->kinds, __ATOMIC_ACQUIRE) & event->kind)) continue;
    interlock_reader reader = __atomic_load_n(&slot->reader, __ATOMIC_RELAXED);
    void *context = __atomic_load_n(&slot->context, __ATOMIC_RELAXED);
    if (__atomic_load_n(&slot->is_leaf, __ATOMIC_RELAXED)) {
      reader(event, context);
    } else {
      // The compiler keeps the mark around the call: it is to a function that it does not know.
      interlock_marks.hidden++;
      reader(event, context);
      interlock_marks.hidden--;
    }
  }
}

/// The same for an event in registers: leaf readers get it so.
void interlock_publish_lock_to_all(interlock_event_kind kind, interlock_object_kind object_kind,
                                   const void *object, uint32_t flags, uintptr_t place,
                                   uintptr_t frame) {
  int used = __atomic_load_n(&used_slots, __ATOMIC_RELAXED);
  for (int index = 0; index < used; index++) {
    reader_slot *slot = &slots[index];
    // Acquire: as in `interlock_publish`.
    if (!(__atomic_load_n(&slot->kinds, __ATOMIC_ACQUIRE) & kind)) continue;
    interlock_lock_reader locks = __atomic_load_n(&slot->locks, __ATOMIC_RELAXED);
    if (locks) {
      locks(kind, object_kind, object, flags, place, frame);
      continue;
    }
    interlock_event event = interlock_lock_event(kind, object_kind, object, flags, place, frame);
    interlock_reader reader = __atomic_load_n(&slot->reader, __ATOMIC_RELAXED);
    // Its mark, as there.
    bool is_leaf = __atomic_load_n(&slot->is_leaf, __ATOMIC_RELAXED);
    if (!is_leaf) interlock_marks.hidden++;
    reader(&event, __atomic_load_n(&slot->context, __ATOMIC_RELAXED));
    if (!is_leaf) interlock_marks.hidden--;
  }
}

interlock_only_reader interlock_only;

/// In the place of a reader that was removed.
static void tell_nobody(interlock_event_kind kind, interlock_object_kind object_kind, const void *object, uint32_t flags,
                        uintptr_t place, uintptr_t frame) {
  (void)kind, (void)object_kind, (void)object, (void)flags, (void)place, (void)frame;
}

static void update_wanted(void) {
  uint32_t kinds = 0;
  int count = 0, used = 0;
  const reader_slot *last = NULL;
  const uint32_t of_locks = INTERLOCK_EVENT_WAIT | INTERLOCK_EVENT_ACQUIRE |
                            INTERLOCK_EVENT_GIVE_UP | INTERLOCK_EVENT_RELEASE;
  bool all_read_locks = true;
  for (int index = 0; index < INTERLOCK_READERS; index++) {
    if (!slots[index].kinds) continue;
    kinds |= slots[index].kinds;
    last = &slots[index];
    count++;
    used = index + 1;
    if (!slots[index].locks || (slots[index].kinds & of_locks) != of_locks) all_read_locks = false;
  }
  // A thread that has just found the last one may still call it, with kinds that are the next one's: as whoever is
  // removed may.
  __atomic_store_n(&interlock_only.reader, NULL, __ATOMIC_RELEASE);
  if (count == 1 && last->is_leaf) {
    __atomic_store_n(&interlock_only.kinds, last->kinds, __ATOMIC_RELAXED);
    __atomic_store_n(&interlock_only.reader, last->reader, __ATOMIC_RELEASE);
  }
  // Each reader has the place of its slot, and the list only grows: a thread that is going through it while another reader
  // comes or goes misses no other. The first place last: who sees it sees the rest, and NULL there leads past the list.
  for (int index = INTERLOCK_READERS; index-- > 0;) {
    interlock_lock_reader locks = slots[index].kinds ? slots[index].locks : NULL;
    bool was_used = index < used || __atomic_load_n(&interlock_only.locks[index], __ATOMIC_RELAXED);
    if (!locks && was_used) locks = tell_nobody;
    if (index == 0 && (count == 0 || !all_read_locks)) locks = NULL;
    __atomic_store_n(&interlock_only.locks[index], locks, __ATOMIC_RELEASE);
  }
  // Relaxed: when a thread begins to publish is of no account.
  __atomic_store_n(&interlock_wanted, kinds, __ATOMIC_RELAXED);
}

static bool add(interlock_reader reader, interlock_lock_reader locks, void *context,
                uint32_t kinds, bool is_leaf) {
  bool added = false;
  lock_slots();
  for (int index = 0; index < INTERLOCK_READERS && !added; index++) {
    if (slots[index].kinds) continue;
    __atomic_store_n(&slots[index].context, context, __ATOMIC_RELAXED);
    __atomic_store_n(&slots[index].reader, reader, __ATOMIC_RELAXED);
    __atomic_store_n(&slots[index].locks, locks, __ATOMIC_RELAXED);
    __atomic_store_n(&slots[index].is_leaf, is_leaf, __ATOMIC_RELAXED);
    __atomic_store_n(&slots[index].kinds, kinds, __ATOMIC_RELEASE);
    // Relaxed: who does not see the number yet hears of the next call.
    if (index >= used_slots) __atomic_store_n(&used_slots, index + 1, __ATOMIC_RELAXED);
    added = true;
  }
  update_wanted();
  unlock_slots();
  return added;
}

bool interlock_events_add(interlock_reader reader, void *context, uint32_t kinds) {
  return add(reader, NULL, context, kinds, false);
}

bool interlock_events_add_leaf(interlock_reader reader, interlock_lock_reader locks,
                               uint32_t kinds) {
  return add(reader, locks, NULL, kinds, true);
}

void interlock_events_remove(interlock_reader reader, void *context) {
  lock_slots();
  for (int index = 0; index < INTERLOCK_READERS; index++) {
    if (slots[index].reader != reader || slots[index].context != context) continue;
    // The function and the context stay: somebody may just be reading them.
    __atomic_store_n(&slots[index].kinds, 0, __ATOMIC_RELEASE);
  }
  update_wanted();
  unlock_slots();
}

void interlock_events_hide_thread(bool hidden) {
  if (hidden) {
    interlock_marks.hidden++;
  } else {
    interlock_marks.hidden--;
  }
}

void *interlock_find_real(const char *name) {
  // The plain lookup gives glibc's oldest condition variables, of another layout.
#if defined(__x86_64__)
  if (strncmp(name, "pthread_cond_", 13) == 0) {
    void *found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    if (found) return found;
  }
#endif
  return dlsym(RTLD_NEXT, name);
}

uint32_t interlock_thread_id(void) {
  if (!own_number) own_number = (uint32_t)syscall(SYS_gettid);
  return own_number;
}

static void forked(void) {
  own_number = 0;
  // Another thread may just have had it, and is not here.
  unlock_slots();
  interlock_work_items_forked();
}

void interlock_events_tell(const interlock_event *event) {
  if (is_wanted(event->kind)) interlock_publish(event);
}

__attribute__((constructor(101))) static void prepare(void) {
  pthread_atfork(NULL, NULL, forked);
}

interlock_events_availability interlock_events_available(void) {
  // Where libdispatch is a library of its own, there is a next definition after ours.
  if (dlsym(RTLD_NEXT, "dispatch_async") == NULL) return INTERLOCK_EVENTS_WITHOUT_DISPATCH;
  return INTERLOCK_EVENTS_ALL;
}

#else

bool interlock_events_add(interlock_reader reader, void *context, uint32_t kinds) {
  (void)reader, (void)context, (void)kinds;
  return false;
}
bool interlock_events_add_leaf(interlock_reader reader, interlock_lock_reader locks,
                               uint32_t kinds) {
  (void)reader, (void)locks, (void)kinds;
  return false;
}
void interlock_events_remove(interlock_reader reader, void *context) {
  (void)reader;
  (void)context;
}
void interlock_events_hide_thread(bool hidden) { (void)hidden; }
void interlock_events_tell(const interlock_event *event) { (void)event; }

interlock_events_availability interlock_events_available(void) {
#if defined(INTERLOCK_UNSEEN_CALLS)
  return INTERLOCK_EVENTS_NONE_TRAIT;
#elif defined(INTERLOCK_SANITIZED)
  return INTERLOCK_EVENTS_NONE_SANITIZER;
#else
  return INTERLOCK_EVENTS_NONE_SYSTEM;
#endif
}

#endif
