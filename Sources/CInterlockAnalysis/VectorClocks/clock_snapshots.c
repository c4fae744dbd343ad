// The memory of snapshots, with a list of free ones for each size. From the system, because the
// calling thread may be inside malloc.
#include "clock_snapshot.h"
#include "clock_tables.h"

#include <stddef.h>
#include <sys/mman.h>

/// The sizes: 8 counts, 16, and then each multiple of 32.
enum {
  least_counts = 8,
  step = 32,
  size_count = 2 + most_slots / step,
  bytes_together = 1 << 16,
};
_Static_assert(most_slots % step == 0, "the largest size has every slot");

static struct {
  clock_snapshot *free;
  /// Memory that was never used.
  char *fresh, *end;
} sizes[size_count];
static int lock;

static inline uint32_t size_of(uint32_t width) {
  if (width <= least_counts) return 0;
  return width <= 2 * least_counts ? 1 : 1 + (width + step - 1) / step;
}

static inline uint32_t counts_of(uint32_t size) {
  return size < 2 ? least_counts << size : (size - 1) * step;
}

/// The caller holds the lock.
static clock_snapshot *take_fresh(uint32_t size) {
  size_t bytes = offsetof(clock_snapshot, counts) + counts_of(size) * sizeof(uint64_t);
  if ((size_t)(sizes[size].end - sizes[size].fresh) < bytes) {
    void *memory = mmap(NULL, bytes_together, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                        -1, 0);
    if (memory == MAP_FAILED) return NULL;
    sizes[size].fresh = memory;
    sizes[size].end = sizes[size].fresh + bytes_together;
  }
  clock_snapshot *made = (clock_snapshot *)sizes[size].fresh;
  sizes[size].fresh += bytes;
  return made;
}

clock_snapshot *interlock_clock_snapshot(const vector_clock *clock, uint32_t users) {
  take(&lock);
  // The caller holds the lock. Not less than the width that the memory's last user has seen, so
  // that all of its counts are overwritten.
  uint32_t width = clock_width(), size = size_of(width);
  clock_snapshot *made = sizes[size].free;
  if (made) {
    sizes[size].free = made->next;
  } else {
    made = take_fresh(size);
  }
  give(&lock);
  if (!made) {
    interlock_clocks_lose_sight("there was no memory for the clocks of locks and queued blocks");
    return NULL;
  }
  made->users = users;
  made->size = size;
  memcpy(made->counts, clock->counts, width * sizeof *made->counts);
  return made;
}

void interlock_clock_drop(clock_snapshot *snapshot, uint32_t users) {
  // Release: the reads of these users are over. Acquire: so are the reads of all users before the
  // memory is freed.
  if (!snapshot || __atomic_sub_fetch(&snapshot->users, users, __ATOMIC_ACQ_REL) > 0) return;
  take(&lock);
  snapshot->next = sizes[snapshot->size].free;
  sizes[snapshot->size].free = snapshot;
  give(&lock);
}

uint32_t interlock_clock_snapshot_width(const clock_snapshot *snapshot) {
  uint32_t width = clock_width(), room = counts_of(snapshot->size);
  return width < room ? width : room;
}

void interlock_clock_forget_snapshots(thread_clock *own) {
  interlock_clock_drop(own->snapshot, 1 + own->snapshot_spares);
  interlock_clock_drop(own->dropped, own->dropped_count);
  own->snapshot = own->dropped = NULL;
  own->snapshot_spares = own->dropped_count = 0;
}

void interlock_clock_snapshots_forked(void) { lock = 0; }
