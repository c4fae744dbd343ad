// The existing locks, by address. Each new lock gets a number that is never used again, so that two
// locks that had the same address at different times are never confused.
#include "Graph/order_reader.h"

#include <stddef.h>
#include <sys/mman.h>
#ifdef __linux__
#include <dlfcn.h>
#include <link.h>
#endif

#include "interlock_waits.h"

int interlock_tables_lock;
uint32_t interlock_locks_changed;
void (*interlock_node_ends[2])(known_lock *lock);

enum { most = 3 << 16, list_count = 1 << 17, block_lists = 1 << 13 };
static hash_table locks;
/// The locks that lie in a block of memory, by the block's address.
static hash_table blocks;
static interlock_block_search search_block;
static uint32_t last_number;

#ifdef __linux__
/// The static variables of the modules that were loaded at the start.
static struct {
  uintptr_t low;
  size_t size;
} variables[512];
static uint32_t variables_used;

static int note_module(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  for (int index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_W)) continue;
    if (variables_used == sizeof variables / sizeof *variables) return 1;
    variables[variables_used].low = info->dlpi_addr + header->p_vaddr;
    variables[variables_used++].size = header->p_memsz;
  }
  return 0;
}

static void note_variables(void) { dl_iterate_phdr(note_module, NULL); }

#ifdef DLFO_STRUCT_HAS_EH_DBASE
extern int _dl_find_object(void *address, struct dl_find_object *found) __attribute__((weak));
#endif

/// True if an address is in a static variable of the program or a library, which is never freed.
/// Takes no lock of the loader: the caller holds the lock of the tables, and a callback of the
/// loader, which holds the loader's lock, may take locks. If the C library cannot look up a module
/// without a lock, the variables of modules loaded later count as other memory.
static bool is_static(uintptr_t address) {
  for (uint32_t index = 0; index < variables_used; index++) {
    if (address - variables[index].low < variables[index].size) return true;
  }
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  struct dl_find_object found;
  return _dl_find_object && _dl_find_object((void *)address, &found) == 0;
#else
  return false;
#endif
}
#else
static void note_variables(void) {}
static bool is_static(uintptr_t address) { return (void)address, false; }
#endif

bool interlock_known_locks_prepare(void) {
  enum {
    list_bytes = list_count * sizeof *locks.lists,
    entry_bytes = most * sizeof(known_lock),
    block_bytes = block_lists * sizeof *blocks.lists,
  };
  void *memory = mmap(NULL, list_bytes + entry_bytes + block_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  locks = (hash_table){.lists = memory,
                       .list_count = list_count,
                       .entries = (char *)memory + list_bytes,
                       .size = sizeof(known_lock),
                       .most = most};
  blocks.list_count = block_lists;
  note_variables();
  // Release: pairs with the acquire in `interlock_block_ends`.
  __atomic_store_n(&blocks.lists, (uintptr_t *)((char *)locks.entries + entry_bytes),
                   __ATOMIC_RELEASE);
  return true;
}

static known_lock *find(uintptr_t object) { return (known_lock *)table_find(&locks, object); }

known_lock *interlock_find_lock(uintptr_t object, uint32_t kind) {
  known_lock *lock = find(object);
  return lock && lock->kind == kind ? lock : NULL;
}

static void forget(known_lock *lock) {
  // Most locks are in no order.
  if (lock->node) interlock_node_ends[lock->kind == interlock_signal_kind](lock);
}

static void leave_block(known_lock *lock) {
  if (lock->of_block.key) table_remove(&blocks, &lock->of_block);
}

/// Ends a lock, so that the next lock at its address is a different one.
static void end(known_lock *lock) {
  forget(lock);
  leave_block(lock);
  table_remove(&locks, &lock->entry);
  table_give(&locks, &lock->entry);
}

/// Adds a lock. `block` is the block of memory with which the lock ends; 0 for none.
static known_lock *put(uintptr_t object, uint32_t kind, uintptr_t created, bool is_one,
                       uintptr_t block) {
  known_lock *known = find(object), *lock = known;
  if (known) {
    forget(known);
    leave_block(known);
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
  if (block) table_add(&blocks, &lock->of_block, block);
  if (!known) table_add(&locks, &lock->entry, object);
  return lock;
}

/// Returns the block of memory with which a lock ends that no call makes: `Mutex` is inlined into
/// its user.
static uintptr_t block_of(uintptr_t object, uint32_t kind) {
  // Acquire: pairs with the release in `interlock_search_blocks`.
  interlock_block_search search = __atomic_load_n(&search_block, __ATOMIC_ACQUIRE);
  return search && kind == INTERLOCK_OBJECT_OWNED_FUTEX ? search(object) : 0;
}

known_lock *interlock_note_lock(uintptr_t object, uint32_t kind) {
  known_lock *lock = interlock_find_lock(object, kind);
  if (lock) return lock;
  if (is_static(object)) return put(object, kind, 0, true, 0);
  uintptr_t block = block_of(object, kind);
  return put(object, kind, 0, block != 0, block);
}

known_lock *interlock_current_lock(uintptr_t object, uint32_t kind) {
  const known_lock *lock = interlock_find_lock(object, kind);
  if (lock && lock->created && !interlock_lock_is_made_at(object, kind, lock->created)) {
    put(object, kind, 0, is_static(object), 0);
    __atomic_fetch_add(&interlock_locks_changed, 1, __ATOMIC_RELAXED);
  }
  return interlock_note_lock(object, kind);
}

void interlock_search_blocks(interlock_block_search function) {
  __atomic_store_n(&search_block, function, __ATOMIC_RELEASE);
}

void interlock_block_ends(uintptr_t block) {
  // Most blocks have no lock. Acquire: the table is empty then.
  if (!__atomic_load_n(&blocks.lists, __ATOMIC_ACQUIRE) || !table_find(&blocks, block)) return;
  take(&interlock_tables_lock);
  for (table_entry *entry; (entry = table_find(&blocks, block));) {
    end((known_lock *)((char *)entry - offsetof(known_lock, of_block)));
  }
  // Relaxed: the program itself orders the end of the memory before its next use.
  __atomic_fetch_add(&interlock_locks_changed, 1, __ATOMIC_RELAXED);
  give(&interlock_tables_lock);
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
      // This object is not followed, but an earlier lock at its address has ended.
      interlock_lock_destroyed((uintptr_t)event->object);
      return;
    default: return;
  }
  take(&interlock_tables_lock);
  put((uintptr_t)event->object, kind, event->place, true, 0);
  // Relaxed: the program itself orders the creation of the lock before its first use elsewhere.
  __atomic_fetch_add(&interlock_locks_changed, 1, __ATOMIC_RELAXED);
  give(&interlock_tables_lock);
}

void interlock_miss_lock(void) {
  take(&interlock_tables_lock);
  interlock_losses.locks = true;
  give(&interlock_tables_lock);
}

void interlock_lock_destroyed(uintptr_t object) {
  take(&interlock_tables_lock);
  known_lock *lock = find(object);
  if (lock) end(lock);
  __atomic_fetch_add(&interlock_locks_changed, 1, __ATOMIC_RELAXED);
  give(&interlock_tables_lock);
}

bool interlock_is_lock_semaphore(uintptr_t object) {
  take(&interlock_tables_lock);
  // The table has entries of this kind only for semaphores that begin at 1.
  bool is_lock = interlock_find_lock(object, INTERLOCK_OBJECT_SEMAPHORE) != NULL;
  give(&interlock_tables_lock);
  return is_lock;
}

void interlock_semaphore_signalled(uintptr_t object, bool by_owner) {
  take(&interlock_tables_lock);
  known_lock *lock = interlock_find_lock(object, INTERLOCK_OBJECT_SEMAPHORE);
  if (lock && by_owner) lock->was_given_back = true;
  if (lock && !by_owner) lock->was_signalled = true;
  give(&interlock_tables_lock);
}

void interlock_lock_handed_over(uintptr_t object, uint32_t kind) {
  take(&interlock_tables_lock);
  known_lock *lock = interlock_note_lock(object, kind);
  if (lock) lock->was_signalled = true;
  give(&interlock_tables_lock);
}

bool interlock_lock_was_signalled(uintptr_t object, uint32_t number) {
  const known_lock *lock = find(object);
  return lock && lock->number == number && lock->was_signalled;
}
