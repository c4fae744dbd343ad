// Decides enabledness: replays what the chosen steps did to one object.

#include "enabledness.h"

#define K(name) INTERLOCK_OPERATION_##name

bool interlock_operation_blocks(const interlock_operation *operation) {
  if (operation->flags & INTERLOCK_OPERATION_TRIED) return false;
  switch (operation->kind) {
    case K(JOIN):
    case K(LOCK):
    case K(LOCK_SHARED):
    case K(SEMAPHORE_WAIT):
    case K(GROUP_WAIT):
    case K(BEGIN):
    case K(BEGIN_BARRIER):
    case K(TAKE_WORKER):
    case K(AWAIT):
    case K(CONTINUATION_WAIT):
    case K(UNKNOWN):
      return true;
    case K(TIME_UP):
      return !(operation->flags & INTERLOCK_OPERATION_TIME_IS_A_CHOICE);
    case K(BARRIER_WAIT):
      return operation->flags & INTERLOCK_OPERATION_LEAVES_BARRIER;
    case K(READ):
    case K(READ_WRITE):
      return operation->flags & INTERLOCK_OPERATION_AWAITS_CHANGE;
    default:
      return false;
  }
}

bool interlock_operation_holds_thread(const interlock_operation *operation) {
  if (operation->flags & (INTERLOCK_OPERATION_TIMED | INTERLOCK_OPERATION_TRIED)) return false;
  switch (operation->kind) {
    case K(LOCK):
      return operation->other;
    case K(JOIN):
    case K(SEMAPHORE_WAIT):
    case K(BARRIER_WAIT):
    case K(UNKNOWN):
      return true;
    case K(GROUP_WAIT):
      return !(operation->flags & INTERLOCK_OPERATION_OF_TASKS);
    case K(READ):
    case K(READ_WRITE):
      return operation->flags & INTERLOCK_OPERATION_AWAITS_CHANGE;
    default:
      return false;
  }
}

// True if a lock is free for the thread: counts the owner's depth and the readers.
static bool lock_is_free(const interlock_step *steps, const uint32_t *chosen, size_t count,
                         uint32_t thread, uint32_t object, bool shared) {
  uint32_t owner = 0, depth = 0, readers = 0;
  for (size_t i = 0; i < count; i++) {
    const interlock_step *step = &steps[chosen[i]];
    for (size_t k = 0; k < step->count; k++) {
      const interlock_operation *o = &step->operations[k];
      if (o->kind == K(WAIT) && o->other == object) depth = 0;
      if (o->object != object) continue;
      bool failed = o->flags & INTERLOCK_OPERATION_FAILED;
      if ((o->kind == K(LOCK) || o->kind == K(TRY_LOCK)) && !failed) {
        depth = depth && owner == step->thread ? depth + 1 : 1;
        owner = step->thread;
      } else if (o->kind == K(UNLOCK)) {
        if (depth) depth--;
      } else if ((o->kind == K(LOCK_SHARED) || o->kind == K(TRY_LOCK_SHARED)) && !failed) {
        readers++;
      } else if (o->kind == K(UNLOCK_SHARED) && readers) {
        readers--;
      }
    }
  }
  if (depth) return owner == thread;  // a lock that is not recursive ends otherwise: not a race
  return shared || !readers;
}

// True if the thread has been woken since it began to wait on the condition.
static bool is_woken(const interlock_step *steps, const uint32_t *chosen, size_t count,
                     uint32_t thread, uint32_t condition) {
  bool woken = false;
  for (size_t i = 0; i < count; i++) {
    const interlock_step *step = &steps[chosen[i]];
    for (size_t k = 0; k < step->count; k++) {
      const interlock_operation *o = &step->operations[k];
      if (o->object != condition) continue;
      if (o->kind == K(WAIT) && step->thread == thread) woken = false;
      if (o->kind == K(BROADCAST)) woken = true;
      if (o->kind == K(SIGNAL) && o->other == thread + 1) woken = true;
    }
  }
  return woken;
}

// Returns what an operation adds to a count that must not go below zero.
static int change(const interlock_operation *o, uint32_t object) {
  if ((o->kind == K(BEGIN) || o->kind == K(BEGIN_BARRIER)) && o->other == object) return -1;
  if (o->object != object) return 0;
  switch (o->kind) {
    case K(SEMAPHORE_WAIT):
    case K(SEMAPHORE_TRY):
      return o->flags & INTERLOCK_OPERATION_FAILED ? 0 : -1;
    case K(TAKE_WORKER):
      return -1;
    case K(SEMAPHORE_SIGNAL):
    case K(GIVE_WORKER):
      return 1;
    default:
      return 0;
  }
}

static bool tells_value(const interlock_operation *o, uint32_t object) {
  if (o->object != object || !o->other) return false;
  return o->kind == K(SEMAPHORE_WAIT) || o->kind == K(SEMAPHORE_TRY) ||
         o->kind == K(SEMAPHORE_SIGNAL) || o->kind == K(TAKE_WORKER) || o->kind == K(GIVE_WORKER);
}

// Derives the initial value from the first operation that tells a value, then adds the changes of
// the chosen steps.
static interlock_enabledness count_is_positive(const interlock_step *steps, size_t all,
                                               const uint32_t *chosen, size_t count,
                                               uint32_t object) {
  int64_t value = 0;
  bool known = false;
  for (size_t i = 0; i < all && !known; i++) {
    for (size_t k = 0; k < steps[i].count && !known; k++) {
      const interlock_operation *o = &steps[i].operations[k];
      known = tells_value(o, object);
      value = known ? value + (int64_t)o->other - 1 : value - change(o, object);
    }
  }
  if (!known) return INTERLOCK_ENABLEDNESS_UNKNOWN;
  for (size_t i = 0; i < count; i++) {
    const interlock_step *step = &steps[chosen[i]];
    for (size_t k = 0; k < step->count; k++) value += change(&step->operations[k], object);
  }
  return value > 0 ? INTERLOCK_ENABLED : INTERLOCK_DISABLED;
}

// True if the chosen steps have an operation of this kind on the object.
static bool has_come(const interlock_step *steps, const uint32_t *chosen, size_t count,
                     uint16_t kind, uint32_t object) {
  for (size_t i = 0; i < count; i++) {
    const interlock_step *step = &steps[chosen[i]];
    for (size_t k = 0; k < step->count; k++) {
      if (step->operations[k].kind == kind && step->operations[k].object == object) return true;
    }
  }
  return false;
}

static bool group_is_empty(const interlock_step *steps, const uint32_t *chosen, size_t count,
                           uint32_t group) {
  int64_t members = 0;
  for (size_t i = 0; i < count; i++) {
    const interlock_step *step = &steps[chosen[i]];
    for (size_t k = 0; k < step->count; k++) {
      const interlock_operation *o = &step->operations[k];
      if (o->object != group) continue;
      members += o->kind == K(GROUP_ENTER) ? 1 : o->kind == K(GROUP_LEAVE) ? -1 : 0;
    }
  }
  return members <= 0;
}

// True if the last thread has arrived at the barrier since this thread did.
static bool barrier_is_open(const interlock_step *steps, const uint32_t *chosen, size_t count,
                            uint32_t thread, uint32_t barrier) {
  bool open = false;
  for (size_t i = 0; i < count; i++) {
    const interlock_step *step = &steps[chosen[i]];
    for (size_t k = 0; k < step->count; k++) {
      const interlock_operation *o = &step->operations[k];
      if (o->object != barrier || o->kind != K(BARRIER_WAIT)) continue;
      if (o->flags & INTERLOCK_OPERATION_LEAVES_BARRIER) continue;
      if (step->thread == thread) open = false;
      if (o->flags & INTERLOCK_OPERATION_ARRIVES_LAST) open = true;
    }
  }
  return open;
}

// Unknown if another thread has written since this thread's last step: the write may have changed
// what the loop reads. Operations do not tell values, and the pending operation names only a part
// of what the loop reads.
static interlock_enabledness may_have_changed(const interlock_step *steps, const uint32_t *chosen,
                                              size_t count, uint32_t thread) {
  for (size_t i = count; i-- > 0 && steps[chosen[i]].thread != thread;) {
    const interlock_step *step = &steps[chosen[i]];
    for (size_t k = 0; k < step->count; k++) {
      uint16_t kind = step->operations[k].kind;
      if (kind == K(WRITE) || kind == K(READ_WRITE)) return INTERLOCK_ENABLEDNESS_UNKNOWN;
    }
  }
  return INTERLOCK_DISABLED;
}

// True if a time has come on the object: it may have been the time of the pending operation.
static bool time_is_up(const interlock_step *steps, const uint32_t *chosen, size_t count,
                       const interlock_operation *pending) {
  for (size_t i = 0; i < count; i++) {
    const interlock_step *step = &steps[chosen[i]];
    for (size_t k = 0; k < step->count; k++) {
      const interlock_operation *o = &step->operations[k];
      if (o->kind != K(TIME_UP) || !o->other) continue;
      if (o->other == pending->object || o->other == pending->other) return true;
    }
  }
  return false;
}

interlock_enabledness interlock_enabled_after(const interlock_step *steps, size_t all,
                                              const uint32_t *chosen, size_t count, uint32_t thread,
                                              const interlock_operation *pending) {
  if (!interlock_operation_blocks(pending)) return INTERLOCK_ENABLED;
  if (pending->flags & INTERLOCK_OPERATION_TIMED) {
    interlock_operation untimed = *pending;
    untimed.flags &= (uint16_t)~INTERLOCK_OPERATION_TIMED;
    interlock_enabledness enabledness =
        interlock_enabled_after(steps, all, chosen, count, thread, &untimed);
    bool may_time_out =
        enabledness == INTERLOCK_DISABLED && time_is_up(steps, chosen, count, pending);
    return may_time_out ? INTERLOCK_ENABLEDNESS_UNKNOWN : enabledness;
  }
  uint32_t object = pending->object;
  bool enabled;
  switch (pending->kind) {
    case K(JOIN):
      enabled = has_come(steps, chosen, count, K(END), object);
      break;
    case K(AWAIT):
      enabled = has_come(steps, chosen, count, K(COMPLETE), object);
      break;
    case K(CONTINUATION_WAIT):
      enabled = has_come(steps, chosen, count, K(CONTINUATION_RESUME), object);
      break;
    case K(LOCK):
      enabled = lock_is_free(steps, chosen, count, thread, object, false) &&
                (!pending->other || pending->flags & INTERLOCK_OPERATION_NEEDS_NO_SIGNAL ||
                 is_woken(steps, chosen, count, thread, pending->other));
      break;
    case K(LOCK_SHARED):
      enabled = lock_is_free(steps, chosen, count, thread, object, true);
      break;
    case K(GROUP_WAIT):
      enabled = group_is_empty(steps, chosen, count, object);
      break;
    case K(BARRIER_WAIT):
      enabled = barrier_is_open(steps, chosen, count, thread, object);
      break;
    case K(SEMAPHORE_WAIT):
    case K(TAKE_WORKER):
      return count_is_positive(steps, all, chosen, count, object);
    case K(READ):
    case K(READ_WRITE):
      return may_have_changed(steps, chosen, count, thread);
    case K(BEGIN):
    case K(BEGIN_BARRIER): {
      interlock_enabledness in_turn =
          interlock_block_enabled_after(steps, chosen, count, thread, pending);
      if (in_turn != INTERLOCK_ENABLED || !pending->other) return in_turn;
      return count_is_positive(steps, all, chosen, count, pending->other);
    }
    default:
      return INTERLOCK_ENABLEDNESS_UNKNOWN;
  }
  return enabled ? INTERLOCK_ENABLED : INTERLOCK_DISABLED;
}
