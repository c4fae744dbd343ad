// The existing locks, by address. Each new lock gets a number that is never used again, so that two
// locks that had the same address at different times are never confused.
#include "order_reader.h"

#include <sys/mman.h>
#ifdef __linux__
#include <link.h>
#endif

int interlock_tables_lock;
uint32_t interlock_locks_changed;

enum { most = 3 << 16, list_count = 1 << 17 };
static hash_table locks;
static uint32_t last_number;

bool interlock_known_locks_prepare(void) {
  enum { list_bytes = list_count * sizeof *locks.lists };
  void *memory = mmap(NULL, list_bytes + most * sizeof(known_lock), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  locks = (hash_table){.lists = memory,
                       .list_count = list_count,
                       .entries = (char *)memory + list_bytes,
                       .size = sizeof(known_lock),
                       .most = most};
  return true;
}

static known_lock *find(uintptr_t object) { return (known_lock *)table_find(&locks, object); }

known_lock *interlock_find_lock(uintptr_t object, uint32_t kind) {
  known_lock *lock = find(object);
  return lock && lock->kind == kind ? lock : NULL;
}

static void forget(known_lock *lock) {
  // Most locks are in no order.
  if (!lock->node) return;
  if (lock->kind == interlock_signal_kind) {
    interlock_signal_forget(lock);
  } else {
    interlock_order_forget(lock);
  }
}

static known_lock *put(uintptr_t object, uint32_t kind, uintptr_t created, bool is_one) {
  known_lock *known = find(object), *lock = known;
  if (known) {
    forget(known);
  } else {
    lock = (known_lock *)table_take(&locks);
  }
  if (!lock) {
    interlock_losses.locks = true;
    return NULL;
  }
  *lock = (known_lock){.entry = lock->entry,
                       .created = created,
                       .number = ++last_number,
                       .kind = (uint8_t)kind,
                       .is_one = is_one};
  if (!known) table_add(&locks, &lock->entry, object);
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

/// Whether an address lies in a static variable of the program or a library, which is never freed.
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
      // Not followed, but a lock that was at this address before no longer exists.
      interlock_lock_destroyed((uintptr_t)event->object);
      return;
    default: return;
  }
  // Hidden: a signal handler that locks would wait for its own thread.
  interlock_events_hide_thread(true);
  take(&interlock_tables_lock);
  put((uintptr_t)event->object, kind, event->place, true);
  // Relaxed: the program itself orders the creation of the lock before its first use elsewhere.
  __atomic_fetch_add(&interlock_locks_changed, 1, __ATOMIC_RELAXED);
  give(&interlock_tables_lock);
  interlock_events_hide_thread(false);
}

void interlock_lock_destroyed(uintptr_t object) {
  interlock_events_hide_thread(true);
  take(&interlock_tables_lock);
  known_lock *lock = find(object);
  if (lock) {
    forget(lock);
    table_remove(&locks, &lock->entry);
    table_give(&locks, &lock->entry);
  }
  __atomic_fetch_add(&interlock_locks_changed, 1, __ATOMIC_RELAXED);
  give(&interlock_tables_lock);
  interlock_events_hide_thread(false);
}

bool interlock_is_lock_semaphore(uintptr_t object) {
  interlock_events_hide_thread(true);
  take(&interlock_tables_lock);
  // The table has this kind only for semaphores that begin at 1.
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
