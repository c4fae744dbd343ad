// Registration of readers, and publishing.
#include "interpose.h"
#include "Code/layouts.h"

#ifdef INTERLOCK_INTERPOSES

#include <sys/mman.h>

/// A registered reader. It never changes and is never freed: a thread that has loaded an entry
/// calls its function with the matching context, even if the slot holds another reader by then.
typedef struct reader_entry {
  interlock_reader reader;
  interlock_lock_reader locks;
  void *context;
  uint32_t kinds;
  bool is_leaf;
  struct reader_entry *next;
} reader_entry;

/// NULL if the slot is free.
static const reader_entry *slots[INTERLOCK_READERS];
/// All entries ever added, and spare ones; guarded by `slots_lock`.
static reader_entry *known_readers, *free_readers;
/// One past the highest slot ever used.
static int used_slots;
/// Guards changes of the slots; publishers only read them. Not a mutex: its calls are interposed.
static int slots_lock;

static inline const reader_entry *reader_at(int index, uint32_t kinds) {
  // Acquire: pairs with the release in `set_slot`, so the entry is complete.
  const reader_entry *entry = __atomic_load_n(&slots[index], __ATOMIC_ACQUIRE);
  return entry && (entry->kinds & kinds) ? entry : NULL;
}

static inline void call_reader(const reader_entry *entry, const interlock_event *event) {
  if (entry->is_leaf) {
    entry->reader(event, entry->context);
    return;
  }
  // The compiler cannot move the marks across a call of an unknown function.
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

/// Like `interlock_publish`, for an event in registers; leaf readers receive it in registers.
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

/// True while threads are explored; guarded by the lock of the slots.
static bool is_control_wanted;

/// Returns the reason why no call is published, whatever the readers; NULL if calls are published.
/// If a reader is added before the constructors have run, the layouts are checked later.
static const char *all_calls_lost(void) {
  return interlock_layouts_lost(1 << INTERLOCK_LAYOUT_ADDRESS | 1 << INTERLOCK_LAYOUT_MUTEX |
                                1 << INTERLOCK_LAYOUT_BLOCK);
}

static void update_wanted(void) {
  uint32_t kinds = 0;
  int count = 0, of_locks_count = 0;
  const reader_entry *last = NULL, *of_locks_last = NULL;
  const uint32_t of_locks = INTERLOCK_EVENT_WAIT | INTERLOCK_EVENT_ACQUIRE |
                            INTERLOCK_EVENT_GIVE_UP | INTERLOCK_EVENT_RELEASE;
  for (int index = 0; index < INTERLOCK_READERS; index++) {
    if (!slots[index]) continue;
    last = slots[index];
    kinds |= last->kinds;
    count++;
    if (!(last->kinds & of_locks)) continue;
    of_locks_last = last;
    of_locks_count++;
  }
  // A thread that has just loaded the only reader, or a removed one, may still call it, with the
  // kinds of the next reader. NULL selects the walk over the slots.
  __atomic_store_n(&interlock_only.reader, NULL, __ATOMIC_RELEASE);
  bool is_only = count == 1 && last->is_leaf;
  if (is_only) {
    __atomic_store_n(&interlock_only.kinds, last->kinds, __ATOMIC_RELAXED);
    __atomic_store_n(&interlock_only.reader, last->reader, __ATOMIC_RELEASE);
  }
  // The only reader of locks stays the only one for lock events, even if other readers read other
  // events.
  bool reads_locks = of_locks_count == 1 && of_locks_last->is_leaf &&
                     (of_locks_last->kinds & of_locks) == of_locks;
  __atomic_store_n(&interlock_only.locks, reads_locks ? of_locks_last->locks : NULL,
                   __ATOMIC_RELEASE);
  if (all_calls_lost()) kinds = 0;
  if (is_control_wanted) kinds |= INTERLOCK_WANTED_CONTROL;
  // Relaxed: a thread may begin to publish with any of its next calls.
  __atomic_store_n(&interlock_wanted, kinds, __ATOMIC_RELAXED);
}

/// Returns the entry with the same values, or makes one; NULL without memory. Allocates many at a
/// time from the system, because malloc may be the call in progress.
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
  // Release: pairs with the acquire in `reader_at`.
  __atomic_store_n(&slots[index], entry, __ATOMIC_RELEASE);
}

static bool add(reader_entry asked) {
  if (all_calls_lost()) return false;
  bool added = false;
  take(&slots_lock);
  const reader_entry *entry = entry_of(asked);
  for (int index = 0; entry && index < INTERLOCK_READERS && !added; index++) {
    if (slots[index]) continue;
    set_slot(index, entry);
    // Relaxed: a thread that does not see the new count yet publishes from its next call on.
    if (index >= used_slots) __atomic_store_n(&used_slots, index + 1, __ATOMIC_RELAXED);
    added = true;
  }
  update_wanted();
  give(&slots_lock);
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
  take(&slots_lock);
  const reader_entry *entry = entry_of(
      (reader_entry){.reader = reader, .locks = locks, .kinds = kinds, .is_leaf = true});
  for (int index = 0; entry && index < INTERLOCK_READERS; index++) {
    if (!slots[index] || slots[index]->reader != old || slots[index]->context) continue;
    set_slot(index, entry);
    replaced = true;
  }
  update_wanted();
  give(&slots_lock);
  return replaced;
}

void interlock_events_remove(interlock_reader reader, void *context) {
  take(&slots_lock);
  for (int index = 0; index < INTERLOCK_READERS; index++) {
    const reader_entry *entry = slots[index];
    if (!entry || entry->reader != reader || entry->context != context) continue;
    set_slot(index, NULL);
  }
  update_wanted();
  give(&slots_lock);
}

bool interlock_want_control(bool wanted) {
  if (wanted && all_calls_lost()) return false;
  take(&slots_lock);
  is_control_wanted = wanted;
  update_wanted();
  give(&slots_lock);
  return true;
}

void interlock_events_publish(const interlock_event *event) {
  if (is_wanted(event->kind)) interlock_publish(event);
}

void interlock_events_begin(void) {
  if (!used_slots) return;
  take(&slots_lock);
  update_wanted();
  give(&slots_lock);
}

// In the child the holder of the lock may not exist.
void interlock_events_forked(void) { slots_lock = 0; }

interlock_events_availability interlock_events_available(void) {
  if (all_calls_lost()) return INTERLOCK_EVENTS_NONE_LAYOUT;
  // If libdispatch is a shared library, its definition follows the interposed one.
  if (dlsym(RTLD_NEXT, "dispatch_async") == NULL) return INTERLOCK_EVENTS_WITHOUT_DISPATCH;
  return INTERLOCK_EVENTS_ALL;
}

#endif
