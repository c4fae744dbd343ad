// The locks that live, by address. A lock that is made, or that comes to be at an address where
// another was destroyed, gets a number that no other ever has: two that were at one address one
// after the other are never taken for one.
#include "order_reader.h"

#include <sys/mman.h>
#ifdef __linux__
#include <link.h>
#endif

int interlock_tables_lock;
uint32_t interlock_locks_changed;

enum { capacity = 1 << 18, most = capacity / 4 * 3 };
static known_lock *locks;
static uint32_t count;
static uint32_t last_number;

bool interlock_known_locks_prepare(void) {
  void *memory = mmap(NULL, capacity * sizeof *locks, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  locks = memory;
  return true;
}

static uint32_t home_of(uintptr_t object) {
  return (uint32_t)(mix(0, object >> 3) >> 32) & (capacity - 1);
}

/// The index of an address, or of the free place where it belongs.
static uint32_t index_of(uintptr_t object) {
  uint32_t index = home_of(object);
  while (locks[index].object && locks[index].object != object) index = (index + 1) & (capacity - 1);
  return index;
}

/// Takes a lock out, and moves those behind it that could no longer be found.
static void take_out(uint32_t index) {
  uint32_t hole = index;
  for (uint32_t next = (hole + 1) & (capacity - 1); locks[next].object;
       next = (next + 1) & (capacity - 1)) {
    uint32_t distance = (next - home_of(locks[next].object)) & (capacity - 1);
    if (distance < ((next - hole) & (capacity - 1))) continue;
    locks[hole] = locks[next];
    hole = next;
  }
  locks[hole].object = 0;
  count--;
}

known_lock *interlock_find_lock(uintptr_t object, uint32_t kind) {
  known_lock *lock = &locks[index_of(object)];
  return lock->object && lock->kind == kind ? lock : NULL;
}

static void forget(known_lock *lock) {
  if (lock->kind == interlock_signal_kind) {
    interlock_signal_forget(lock);
  } else {
    interlock_order_forget(lock);
  }
}

static known_lock *put(uintptr_t object, uint32_t kind, uintptr_t created, bool is_one) {
  known_lock *lock = &locks[index_of(object)];
  if (lock->object) {
    forget(lock);
  } else if (count >= most) {
    interlock_losses.locks = true;
    return NULL;
  } else {
    count++;
  }
  *lock = (known_lock){.object = object,
                       .created = created,
                       .number = ++last_number,
                       .kind = (uint8_t)kind,
                       .is_one = is_one};
  return lock;
}

#ifdef __linux__
static int looks_static(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  uintptr_t address = *(const uintptr_t *)context;
  for (int index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    if (header->p_type != PT_LOAD) continue;
    if (address - (info->dlpi_addr + header->p_vaddr) < header->p_memsz) return 1;
  }
  return 0;
}
#endif

/// Whether memory is a variable's of a program or library, which lasts as long as that.
static bool is_static(uintptr_t address) {
#ifdef __linux__
  return dl_iterate_phdr(looks_static, &address) != 0;
#else
  (void)address;
  return false;
#endif
}

known_lock *interlock_note_lock(uintptr_t object, uint32_t kind) {
  known_lock *lock = interlock_find_lock(object, kind);
  return lock ? lock : put(object, kind, 0, is_static(object));
}

void interlock_lock_made(const interlock_event *event) {
  uint32_t kind = event->object_kind;
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_MUTEX:
    case INTERLOCK_OBJECT_WRITE_LOCK:
    case INTERLOCK_OBJECT_OWNED_FUTEX:
    case INTERLOCK_OBJECT_QUEUE: break;
    case INTERLOCK_OBJECT_GROUP: kind = interlock_signal_kind; break;
    case INTERLOCK_OBJECT_SEMAPHORE:
      if (event->value == 0) kind = interlock_signal_kind;
      if (event->value == 0 || event->value == 1) break;
      // What was at its address is no more all the same.
      interlock_events_hide_thread(true);
      interlock_lock_destroyed((uintptr_t)event->object);
      interlock_events_hide_thread(false);
      return;
    default: return;
  }
  // Hidden: a signal's handler that locks would wait for its own thread.
  interlock_events_hide_thread(true);
  take(&interlock_tables_lock);
  put((uintptr_t)event->object, kind, event->place, true);
  // Relaxed: whoever is handed the new lock has been told of it in an order of its own.
  __atomic_fetch_add(&interlock_locks_changed, 1, __ATOMIC_RELAXED);
  give(&interlock_tables_lock);
  interlock_events_hide_thread(false);
}

void interlock_lock_destroyed(uintptr_t object) {
  take(&interlock_tables_lock);
  uint32_t index = index_of(object);
  if (locks[index].object) {
    forget(&locks[index]);
    take_out(index);
  }
  __atomic_fetch_add(&interlock_locks_changed, 1, __ATOMIC_RELAXED);
  give(&interlock_tables_lock);
}

bool interlock_is_lock_semaphore(uintptr_t object) {
  interlock_events_hide_thread(true);
  take(&interlock_tables_lock);
  // Only those that begin at 1 are kept.
  bool is_lock = interlock_find_lock(object, INTERLOCK_OBJECT_SEMAPHORE) != NULL;
  give(&interlock_tables_lock);
  interlock_events_hide_thread(false);
  return is_lock;
}

void interlock_semaphore_signalled(uintptr_t object, bool by_owner) {
  interlock_events_hide_thread(true);
  take(&interlock_tables_lock);
  known_lock *lock = interlock_find_lock(object, INTERLOCK_OBJECT_SEMAPHORE);
  if (lock && by_owner) lock->was_given_back = true;
  if (lock && !by_owner) lock->was_signalled = true;
  give(&interlock_tables_lock);
  interlock_events_hide_thread(false);
}
