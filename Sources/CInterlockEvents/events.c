// The readers, and what every interposed call needs.
#include "interpose.h"
#include "layouts.h"

#ifdef INTERLOCK_INTERPOSES

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

uint32_t interlock_wanted;
__thread interlock_thread_marks interlock_marks;
static __thread uint32_t own_number __attribute__((tls_model("initial-exec")));

/// A reader as it was added. It never changes and is never freed: a thread that has found one calls
/// its function with its own context, whoever has come to be in the slot since.
typedef struct reader_entry {
  interlock_reader reader;
  interlock_lock_reader locks;
  void *context;
  uint32_t kinds;
  bool is_leaf;
  struct reader_entry *next;
} reader_entry;

/// NULL for a slot that is free.
static const reader_entry *slots[INTERLOCK_READERS];
/// All that have ever been added, and room for more: under the lock of the slots.
static reader_entry *known_readers, *free_readers;
/// As many of the slots, from the first, as have ever been used.
static int used_slots;
/// Guards changes of the slots; those who publish only read them. Not a mutex: its calls are ours.
static int slots_lock;

static void lock_slots(void) {
  // Acquire and release: what one has changed, the next finds.
  while (__atomic_exchange_n(&slots_lock, 1, __ATOMIC_ACQUIRE)) syscall(SYS_sched_yield);
}

static void unlock_slots(void) { __atomic_store_n(&slots_lock, 0, __ATOMIC_RELEASE); }

static inline const reader_entry *reader_at(int index, uint32_t kinds) {
  // Acquire: pairs with the release in `set_slot`; who sees the reader sees all of it.
  const reader_entry *entry = __atomic_load_n(&slots[index], __ATOMIC_ACQUIRE);
  return entry && (entry->kinds & kinds) ? entry : NULL;
}

static inline void call_reader(const reader_entry *entry, const interlock_event *event) {
  if (entry->is_leaf) {
    entry->reader(event, entry->context);
    return;
  }
  // The compiler keeps the mark around the call: it is to a function that it does not know.
  interlock_marks.hidden++;
  entry->reader(event, entry->context);
  interlock_marks.hidden--;
}

void interlock_publish(const interlock_event *event) {
  int used = __atomic_load_n(&used_slots, __ATOMIC_RELAXED);
  for (int index = 0; index < used; index++) {
    const reader_entry *entry = reader_at(index, event->kind);
    if (entry) call_reader(entry, event);
  }
}

/// The same for an event in registers: leaf readers get it so.
void interlock_publish_lock_to_all(interlock_event_kind kind, interlock_object_kind object_kind,
                                   const void *object, uint32_t flags, uintptr_t place,
                                   uintptr_t frame) {
  int used = __atomic_load_n(&used_slots, __ATOMIC_RELAXED);
  for (int index = 0; index < used; index++) {
    const reader_entry *entry = reader_at(index, kind);
    if (!entry) continue;
    if (entry->locks) {
      entry->locks(kind, object_kind, object, flags, place, frame);
      continue;
    }
    interlock_event event = interlock_lock_event(kind, object_kind, object, flags, place, frame);
    call_reader(entry, &event);
  }
}

interlock_only_reader interlock_only;
/// Set before threads are explored; only their calls ask for it.
const interlock_posix_performer *interlock_posix;
/// Whether threads are explored: under the lock of the slots.
static bool is_control_wanted;

/// In the place of a reader that was removed.
static void tell_nobody(interlock_event_kind kind, interlock_object_kind object_kind, const void *object, uint32_t flags,
                        uintptr_t place, uintptr_t frame) {
  (void)kind, (void)object_kind, (void)object, (void)flags, (void)place, (void)frame;
}

/// Why no call is published, whoever reads; NULL where they are. Of a reader that came before any
/// constructor, the layouts are checked later.
static const char *all_calls_lost(void) {
  return interlock_layouts_lost(1 << INTERLOCK_LAYOUT_ADDRESS | 1 << INTERLOCK_LAYOUT_MUTEX |
                                1 << INTERLOCK_LAYOUT_BLOCK);
}

static void update_wanted(void) {
  uint32_t kinds = 0;
  int count = 0, used = 0;
  const reader_entry *last = NULL;
  const uint32_t of_locks = INTERLOCK_EVENT_WAIT | INTERLOCK_EVENT_ACQUIRE |
                            INTERLOCK_EVENT_GIVE_UP | INTERLOCK_EVENT_RELEASE;
  bool all_read_locks = true;
  for (int index = 0; index < INTERLOCK_READERS; index++) {
    if (!slots[index]) continue;
    last = slots[index];
    kinds |= last->kinds;
    count++;
    used = index + 1;
    if (!last->locks || (last->kinds & of_locks) != of_locks) all_read_locks = false;
  }
  // A thread that has just found the last one may still call it, with kinds that are the next
  // one's: as whoever is removed may.
  __atomic_store_n(&interlock_only.reader, NULL, __ATOMIC_RELEASE);
  if (count == 1 && last->is_leaf) {
    __atomic_store_n(&interlock_only.kinds, last->kinds, __ATOMIC_RELAXED);
    __atomic_store_n(&interlock_only.reader, last->reader, __ATOMIC_RELEASE);
  }
  // Each reader has the place of its slot, and the list only grows: a thread that is going through
  // it while another reader comes or goes misses no other. The first place last: who sees it sees
  // the rest, and NULL there leads past the list.
  for (int index = INTERLOCK_READERS; index-- > 0;) {
    interlock_lock_reader locks = slots[index] ? slots[index]->locks : NULL;
    bool was_used = index < used || __atomic_load_n(&interlock_only.locks[index], __ATOMIC_RELAXED);
    if (!locks && was_used) locks = tell_nobody;
    if (index == 0 && (count == 0 || !all_read_locks)) locks = NULL;
    __atomic_store_n(&interlock_only.locks[index], locks, __ATOMIC_RELEASE);
  }
  if (all_calls_lost()) kinds = 0;
  if (is_control_wanted) kinds |= INTERLOCK_WANTED_CONTROL;
  // Relaxed: when a thread begins to publish is of no account.
  __atomic_store_n(&interlock_wanted, kinds, __ATOMIC_RELAXED);
}

/// The entry of a reader that has been added before, with all that it was added with; else a new
/// one. NULL where there is no memory. Many at a time, from the system: malloc may be what is being
/// called.
static const reader_entry *entry_of(reader_entry asked) {
  for (reader_entry *known = known_readers; known; known = known->next) {
    if (known->reader == asked.reader && known->locks == asked.locks &&
        known->context == asked.context && known->kinds == asked.kinds &&
        known->is_leaf == asked.is_leaf) {
      return known;
    }
  }
  enum { together = 64 };
  if (!free_readers) {
    reader_entry *fresh = mmap(NULL, together * sizeof *fresh, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED) return NULL;
    for (int index = 0; index < together; index++) {
      fresh[index].next = free_readers;
      free_readers = &fresh[index];
    }
  }
  reader_entry *made = free_readers;
  free_readers = made->next;
  asked.next = known_readers;
  *made = asked;
  known_readers = made;
  return made;
}

static void set_slot(int index, const reader_entry *entry) {
  // Release: who finds the entry finds it filled.
  __atomic_store_n(&slots[index], entry, __ATOMIC_RELEASE);
}

static bool add(reader_entry asked) {
  if (all_calls_lost()) return false;
  bool added = false;
  lock_slots();
  const reader_entry *entry = entry_of(asked);
  for (int index = 0; entry && index < INTERLOCK_READERS && !added; index++) {
    if (slots[index]) continue;
    set_slot(index, entry);
    // Relaxed: who does not see the number yet hears of the next call.
    if (index >= used_slots) __atomic_store_n(&used_slots, index + 1, __ATOMIC_RELAXED);
    added = true;
  }
  update_wanted();
  unlock_slots();
  return added;
}

bool interlock_events_add(interlock_reader reader, void *context, uint32_t kinds) {
  return add((reader_entry){.reader = reader, .context = context, .kinds = kinds});
}

bool interlock_events_add_leaf(interlock_reader reader, interlock_lock_reader locks,
                               uint32_t kinds) {
  return add((reader_entry){.reader = reader, .locks = locks, .kinds = kinds, .is_leaf = true});
}

bool interlock_events_replace(interlock_reader old, interlock_reader reader,
                              interlock_lock_reader locks, uint32_t kinds) {
  bool replaced = false;
  lock_slots();
  const reader_entry *entry = entry_of(
      (reader_entry){.reader = reader, .locks = locks, .kinds = kinds, .is_leaf = true});
  for (int index = 0; entry && index < INTERLOCK_READERS; index++) {
    if (!slots[index] || slots[index]->reader != old || slots[index]->context) continue;
    set_slot(index, entry);
    replaced = true;
  }
  update_wanted();
  unlock_slots();
  return replaced;
}

void interlock_events_remove(interlock_reader reader, void *context) {
  lock_slots();
  for (int index = 0; index < INTERLOCK_READERS; index++) {
    if (!slots[index] || slots[index]->reader != reader || slots[index]->context != context) continue;
    set_slot(index, NULL);
  }
  update_wanted();
  unlock_slots();
}

bool interlock_want_control(bool wanted) {
  if (wanted && all_calls_lost()) return false;
  lock_slots();
  is_control_wanted = wanted;
  update_wanted();
  unlock_slots();
  return true;
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
  interlock_layouts_forked();
}

void interlock_events_tell(const interlock_event *event) {
  if (is_wanted(event->kind)) interlock_publish(event);
}

__attribute__((constructor(101))) static void prepare(void) {
  pthread_atfork(NULL, NULL, forked);
  if (!used_slots) return;
  lock_slots();
  update_wanted();
  unlock_slots();
}

interlock_events_availability interlock_events_available(void) {
  if (all_calls_lost()) return INTERLOCK_EVENTS_NONE_LAYOUT;
  // Where libdispatch is a library of its own, there is a next definition after ours.
  if (dlsym(RTLD_NEXT, "dispatch_async") == NULL) return INTERLOCK_EVENTS_WITHOUT_DISPATCH;
  return INTERLOCK_EVENTS_ALL;
}

#endif
