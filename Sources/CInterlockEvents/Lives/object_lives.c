// The queues, sources and delayed blocks of Dispatch that code in a scope has made, in the table of
// lives.c.
//
// An entry is removed when its object has lost the last of the references that `dispatch_retain`
// and `dispatch_release` count. libdispatch cancels such a source, and no such queue is suspended.
// libdispatch's internal references do not matter.
#include "../Code/code_ranges.h"
#include "task_lives.h"

#ifdef INTERLOCK_INTERPOSES

/// Held while an entry of an object is changed or removed, because another object may get a removed
/// entry.
static int objects_lock;
/// The number of entries of the objects with one hash. Most calls find 0, and need no search.
/// Written under the lock.
enum { most_marks = 1 << 12 };
static uint32_t marks[most_marks];

static uint32_t *mark_of(uintptr_t object) {
  return &marks[(size_t)(object * 0x9e3779b97f4a7c15ull >> 40) % most_marks];
}

static void change_mark(uintptr_t object, uint32_t change) {
  uint32_t *mark = mark_of(object);
  // Relaxed: see `may_have`.
  __atomic_store_n(mark, *mark + change, __ATOMIC_RELAXED);
}

static bool may_have(const void *object) {
  // Relaxed: a thread that has an object got it after the call that made it.
  return interlock_follows_lives &&
         __atomic_load_n(mark_of((uintptr_t)object), __ATOMIC_RELAXED) > 0;
}

static bool is_object(const interlock_life *life) {
  return life->kind == INTERLOCK_LIVE_QUEUE || life->kind == INTERLOCK_LIVE_SOURCE ||
         life->kind == INTERLOCK_LIVE_TIMER;
}

/// The caller holds the lock.
static void remove_object(uintptr_t object) {
  interlock_life_remove(object);
  change_mark(object, -1u);
}

/// Takes the lock and returns the entry of an object; NULL, without the lock, if it has none.
static interlock_life *take_object(const void *object) {
  if (!object || !may_have(object)) return NULL;
  take(&objects_lock);
  interlock_life *found = interlock_life_find((uintptr_t)object);
  if (found && is_object(found)) return found;
  give(&objects_lock);
  return NULL;
}

static void give_object(bool is_changed) {
  give(&objects_lock);
  if (is_changed) interlock_lives_wake();
}

void interlock_life_of_object(const void *object, interlock_live_kind kind, bool is_inactive,
                              uintptr_t returns_to, uintptr_t frame) {
  if (!object) return;
  // The end of an earlier object at this address was not seen.
  if (take_object(object)) {
    remove_object((uintptr_t)object);
    give_object(true);
  }
  interlock_life_start start = interlock_life_scope(interlock_lives_current());
  if (!start.is_followed || !interlock_is_users_call(returns_to, frame)) return;
  start.kind = kind;
  interlock_task_place place = {interlock_user_place(returns_to, frame), 0};
  take(&objects_lock);
  bool is_added = interlock_life_add(start, (uintptr_t)object, place);
  interlock_life *added = is_added ? interlock_life_find((uintptr_t)object) : NULL;
  // Relaxed: read by the writer of a list, which has its own lock.
  if (added) __atomic_store_n(&added->is_inactive, is_inactive, __ATOMIC_RELAXED);
  if (is_added) change_mark((uintptr_t)object, 1);
  give(&objects_lock);
  if (!is_added) interlock_life_lost();
}

void interlock_life_referenced(const void *object, int change) {
  interlock_life *life = take_object(object);
  if (!life) return;
  life->references += change;
  bool is_over = life->references <= 0;
  if (is_over) remove_object((uintptr_t)object);
  give_object(is_over);
}

void interlock_life_suspended(const void *object, int change) {
  interlock_life *life = take_object(object);
  if (!life) return;
  // Relaxed, here and below: read by the writer of a list, which has its own lock.
  if (change < 0 && life->suspended == 0) {
    // The first resumption of a source activates it.
    __atomic_store_n(&life->is_inactive, false, __ATOMIC_RELAXED);
  } else {
    __atomic_fetch_add(&life->suspended, change, __ATOMIC_RELAXED);
  }
  give_object(change < 0);
}

void interlock_life_activated(const void *object) {
  interlock_life *life = take_object(object);
  if (!life) return;
  __atomic_store_n(&life->is_inactive, false, __ATOMIC_RELAXED);
  give_object(true);
}

void interlock_life_cancelled(const void *object) {
  interlock_life *life = take_object(object);
  if (!life) return;
  __atomic_store_n(&life->is_cancelled, true, __ATOMIC_RELAXED);
  give_object(true);
}

static void forget_object(uintptr_t object, uint64_t scope) {
  const interlock_life *life = take_object((const void *)object);
  if (!life) return;
  if (life->scope == scope) remove_object(object);
  give_object(false);
}

void interlock_lives_forget(uint64_t scope) {
  if (interlock_life_follows_all()) return;
  for (uintptr_t found; (found = interlock_life_object_of(scope));) forget_object(found, scope);
}

void interlock_life_of_block(const void *item, uintptr_t returns_to, uintptr_t frame) {
  interlock_life_start start = interlock_life_scope(interlock_lives_current());
  if (!start.is_followed || !interlock_is_users_call(returns_to, frame)) return;
  start.kind = INTERLOCK_LIVE_DELAYED_BLOCK;
  interlock_task_place place = {interlock_user_place(returns_to, frame), 0};
  if (!interlock_life_add(start, (uintptr_t)item, place)) interlock_life_lost();
}

void interlock_life_block_begins(const void *item) { interlock_life_remove((uintptr_t)item); }

INTERPOSED void dispatch_source_cancel_and_wait(void *source) {
  typedef void cancel(void *);
  if (interlock_follows_lives) interlock_life_cancelled(source);
  REAL(cancel, dispatch_source_cancel_and_wait)(source);
}

#endif
