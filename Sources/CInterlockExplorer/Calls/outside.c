// Locks that threads outside the exploration hold: threads of other tests, and of libraries.
// Whether such a thread holds a lock when an explored thread wants it is chance, not a choice. So
// the lock counts as free, and the explored thread waits for it within its step, in real time.
#include "calls.h"

#ifdef INTERLOCK_INTERPOSES

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../Engine/engine.h"

/// Locks that were not released in time, with their owners; an owner may itself wait for the
/// exploration. Explored threads wait for such a lock as for a lock of an explored thread.
enum { most_stuck = 8 };
static struct {
  const void *lock;
  uint32_t owner;
} stuck[most_stuck];
static size_t stuck_count;

void interlock_outside_reset(void) { stuck_count = 0; }

static bool is_stuck(const void *lock, uint32_t owner) {
  size_t kept = stuck_count < most_stuck ? stuck_count : most_stuck;
  for (size_t index = 0; index < kept; index++) {
    if (stuck[index].lock == lock && stuck[index].owner == owner) return true;
  }
  return false;
}

static bool can_release(uint32_t owner) {
  typedef long system_call(long, ...);
  // The owner does not run in the child of a fork. In the parent it may release the lock.
  if (interlock_the_engine.is_child) return interlock_the_engine.must_fork_again;
  // Signal 0 only checks that the thread exists: an owner that has ended releases nothing.
  return INTERLOCK_REAL(system_call, syscall)(SYS_tgkill, getpid(), owner, 0) == 0;
}

static void note_stuck(const void *lock, uint32_t owner) {
  size_t slot = stuck_count++ % most_stuck;
  stuck[slot].lock = lock;
  stuck[slot].owner = owner;
}

bool interlock_is_held_outside(const void *lock, uint32_t owner) {
  if (interlock_stack_has_number(owner) || is_stuck(lock, owner)) return false;
  // 0: the owner has taken the lock and not yet written its number.
  return owner == 0 || can_release(owner);
}

bool interlock_wait_for_outside(const void *lock, uint32_t (*owner_of)(const void *)) {
  enum { rounds_of_giving_way = 100 };
  const struct timespec pause = {0, 50000};
  uint32_t owner = owner_of(lock);
  if (owner == INTERLOCK_NO_OWNER) return true;
  if (!interlock_is_held_outside(lock, owner)) return false;
  if (interlock_the_engine.is_child) {
    if (interlock_the_engine.must_fork_again) {
      *interlock_the_engine.must_fork_again = true;
      _exit(0);
    }
    note_stuck(lock, owner);
    return false;
  }
  int error = errno;
  interlock_marks.hidden++;
  uint64_t begun = interlock_real_now();
  bool is_held = true;
  for (int round = 0; is_held && interlock_real_now() - begun < INTERLOCK_OUTSIDE_LONGEST;
       round++) {
    if (round < rounds_of_giving_way) {
      give_way();
    } else {
      // Poll: an unlock wakes only waiters inside the lock's own function, and that function would
      // also take the lock.
      nanosleep(&pause, NULL);
    }
    owner = owner_of(lock);
    is_held = owner != INTERLOCK_NO_OWNER && interlock_is_held_outside(lock, owner);
  }
  if (is_held) note_stuck(lock, owner);
  interlock_marks.hidden--;
  errno = error;
  return !is_held;
}

#endif
