// Which threads and timers can take the next step.
//
// The list is kept from step to step. Before a choice, the engine looks at the threads that have
// reached a point, have ended or were announced, and at the threads whose readiness can change
// unannounced. So a step costs the same with ten thousand tasks that wait for their turns. While
// fewer than `INTERLOCK_FEW_THREADS` threads are looked at each time, the engine looks at any
// thread that changes: that is cheaper than to keep track of changes.
#include "engine.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

#define ENGINE interlock_the_engine

// The list of enabled threads. An insertion or removal moves the shorter side: threads often begin
// and end in the order of their numbers.

size_t interlock_engine_first_enabled_from(uint32_t number) {
  size_t low = 0, high = ENGINE.enabled.count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (ENGINE.enabled.items[middle] < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static void make_room_at_end(void) {
  size_t offset = (size_t)(ENGINE.enabled.items - ENGINE.enabled.memory);
  if (offset + ENGINE.enabled.count < ENGINE.enabled.room) return;
  if (offset > ENGINE.enabled.room / 2) {
    memmove(ENGINE.enabled.memory, ENGINE.enabled.items,
            ENGINE.enabled.count * sizeof *ENGINE.enabled.items);
    offset = 0;
  } else {
    ENGINE.enabled.memory = interlock_grow(ENGINE.enabled.memory, &ENGINE.enabled.room,
                                           sizeof *ENGINE.enabled.items);
  }
  ENGINE.enabled.items = ENGINE.enabled.memory + offset;
}

static void insert(uint32_t number) {
  size_t count = ENGINE.enabled.count;
  if (count <= INTERLOCK_FEW_THREADS) {
    make_room_at_end();
    uint32_t *at = ENGINE.enabled.items + count;
    for (; at > ENGINE.enabled.items && at[-1] > number; at--) *at = at[-1];
    *at = number;
  } else {
    size_t index = interlock_engine_first_enabled_from(number);
    bool moves_end = index >= count / 2 || ENGINE.enabled.items == ENGINE.enabled.memory;
    if (moves_end) {
      make_room_at_end();
      uint32_t *at = ENGINE.enabled.items + index;
      memmove(at + 1, at, (count - index) * sizeof *at);
    } else {
      uint32_t *items = --ENGINE.enabled.items;
      memmove(items, items + 1, index * sizeof *items);
    }
    ENGINE.enabled.items[index] = number;
  }
  ENGINE.enabled.count++;
}

static void take_out(uint32_t number) {
  size_t index = 0, count = --ENGINE.enabled.count;
  uint32_t *items = ENGINE.enabled.items;
  if (count <= INTERLOCK_FEW_THREADS) {
    while (items[index] != number) index++;
    for (; index < count; index++) items[index] = items[index + 1];
    return;
  }
  index = interlock_engine_first_enabled_from(number);
  if (index < count / 2) {
    memmove(items + 1, items, index * sizeof *items);
    ENGINE.enabled.items++;
  } else {
    memmove(items + index, items + index + 1, (count - index) * sizeof *items);
  }
}

/// Not inlined, so that the compiler inlines `set_enabled` into the loops that call it.
__attribute__((noinline)) static void change(interlock_logical_thread *thread, bool is_enabled) {
  thread->is_enabled = is_enabled;
  if (is_enabled) {
    insert(thread->number);
  } else {
    take_out(thread->number);
  }
}

static inline void set_enabled(interlock_logical_thread *thread, bool is_enabled) {
  if (thread->is_enabled != is_enabled) change(thread, is_enabled);
}

bool interlock_engine_is_enabled(int32_t number) {
  return number >= 0 && (size_t)number < ENGINE.threads.count &&
         ENGINE.threads.items[number]->is_enabled;
}

// The list of threads that are looked at before each choice.

void interlock_engine_reset_enabled(void) {
  ENGINE.enabled.items = ENGINE.enabled.memory;
  ENGINE.enabled.count = ENGINE.changed.count = ENGINE.looked_at.count = 0;
}

void interlock_engine_look_at_all(void) {
  INTERLOCK_EACH_LIVE(thread) interlock_engine_look_at(thread);
}

/// Adds the thread to the list of threads looked at before each choice, or removes it. The list has
/// no order.
static void keep_looking_at(interlock_logical_thread *thread, bool looks) {
  if ((thread->looked_at != 0) == looks) return;
  if (looks) {
    INTERLOCK_PUSH(&ENGINE.looked_at, thread);
    thread->looked_at = (uint32_t)ENGINE.looked_at.count;
    return;
  }
  interlock_logical_thread *last = ENGINE.looked_at.items[--ENGINE.looked_at.count];
  ENGINE.looked_at.items[thread->looked_at - 1] = last;
  last->looked_at = thread->looked_at;
  thread->looked_at = 0;
}

void interlock_engine_look_at_new(interlock_logical_thread *thread) {
  if (ENGINE.looked_at.count < INTERLOCK_FEW_THREADS) {
    keep_looking_at(thread, true);
  } else {
    interlock_engine_look_at(thread);
  }
}

/// True if another thread has taken a step since this thread yielded.
bool interlock_engine_may_go_on_again(interlock_logical_thread *thread, void *context) {
  (void)context;
  return ENGINE.steps != thread->yielded_at;
}

/// The kinds of threads that were held back only because of their waits in a row.
typedef struct {
  bool a_sleep, a_yield;
} held_back;

/// True if the thread may take its next step.
static bool may_step(interlock_logical_thread *thread, held_back *held) {
  if (!interlock_engine_can_go_on(thread)) return false;
  if (!thread->has_yielded || interlock_time_may_pass(thread)) return true;
  held->a_yield = true;
  return false;
}

static void take_changes(held_back *held) {
  for (size_t index = 0; index < ENGINE.changed.count; index++) {
    interlock_logical_thread *thread = ENGINE.changed.items[index];
    thread->is_changed = false;
    bool is_unannounced = thread->waits_for_time ? !interlock_time_is_free(thread)
                                                 : thread->is_ready && !thread->is_announced;
    is_unannounced |= thread->has_yielded && interlock_time_may_be_held(thread);
    bool are_few = ENGINE.looked_at.count < INTERLOCK_FEW_THREADS;
    keep_looking_at(thread, thread->is_live && (is_unannounced || are_few));
    if (thread->looked_at) continue;
    ENGINE.looks++;
    set_enabled(thread, thread->is_live &&
                            (thread->waits_for_time || may_step(thread, held)));
  }
  ENGINE.changed.count = 0;
}

/// True if the thread or timer waits for a time, or has yielded, so that its waits in a row may
/// hold it back.
static bool may_be_held_back(interlock_logical_thread *thread) {
  if (!thread->waits_for_time) return thread->has_yielded && interlock_engine_can_go_on(thread);
  return !thread->comes_last && !interlock_time_is_exact() && !ENGINE.body_has_ended;
}

/// Returns the thread or timer that was held back and whose last step is the oldest; NULL for none.
static interlock_logical_thread *longest_held_back(void) {
  interlock_logical_thread *longest = NULL;
  for (size_t index = 0; index < ENGINE.looked_at.count; index++) {
    interlock_logical_thread *thread = ENGINE.looked_at.items[index];
    if (!may_be_held_back(thread)) continue;
    bool is_longer = !longest || thread->last_step < longest->last_step ||
                     (thread->last_step == longest->last_step && thread->number < longest->number);
    if (is_longer) longest = thread;
  }
  return longest;
}

void interlock_engine_list_yielded(void) {
  for (size_t index = 0; index < ENGINE.looked_at.count; index++) {
    interlock_logical_thread *thread = ENGINE.looked_at.items[index];
    if (thread->is_ready == interlock_engine_may_go_on_again) set_enabled(thread, true);
  }
  interlock_logical_thread *held_back = ENGINE.enabled.count ? NULL : longest_held_back();
  if (held_back) set_enabled(held_back, true);
}

/// True if the time for which a timer or a sleeping thread waits has come. Once the body has ended,
/// no such time comes.
static bool is_time_up(interlock_logical_thread *thread, held_back *held) {
  if (ENGINE.body_has_ended) return false;
  if (thread->comes_last && !interlock_time_is_exact()) return false;
  if (interlock_time_is_exact()) return thread->due <= ENGINE.now;
  bool may_pass = interlock_time_may_pass(thread);
  held->a_sleep |= !may_pass;
  return may_pass;
}

/// Adds the threads that may continue without being ready.
static void add_those_that_may(void) {
  for (size_t index = 0; index < ENGINE.looked_at.count; index++) {
    interlock_logical_thread *thread = ENGINE.looked_at.items[index];
    bool may_go_on = thread->may_go_on && thread->may_go_on(thread, thread->context);
    if (may_go_on) set_enabled(thread, true);
  }
}

/// Exact times come in their order. Enables the waits with the next time; of several equal times,
/// any may come first. `of_last`: only waits whose time comes when no thread can continue.
static void add_next_times(bool of_last) {
  uint64_t next = INTERLOCK_NEVER;
  for (size_t index = 0; index < ENGINE.looked_at.count; index++) {
    const interlock_logical_thread *thread = ENGINE.looked_at.items[index];
    bool waits = thread->waits_for_time && (thread->comes_last || !of_last);
    if (waits && thread->due < next) next = thread->due;
  }
  for (size_t index = 0; index < ENGINE.looked_at.count; index++) {
    interlock_logical_thread *thread = ENGINE.looked_at.items[index];
    bool waits = thread->waits_for_time && (thread->comes_last || !of_last);
    if (waits && thread->due == next) set_enabled(thread, true);
  }
}

void interlock_engine_list_last(void) {
  if (!interlock_time_is_exact() && !ENGINE.body_has_ended) add_next_times(true);
}

void interlock_engine_find_enabled(void) {
  held_back held = {0};
  take_changes(&held);
  ENGINE.looks += ENGINE.looked_at.count;
  for (size_t index = 0; index < ENGINE.looked_at.count; index++) {
    interlock_logical_thread *thread = ENGINE.looked_at.items[index];
    set_enabled(thread, thread->waits_for_time ? is_time_up(thread, &held)
                                               : may_step(thread, &held));
  }
  if (ENGINE.enabled.count && !ENGINE.is_warming_up) {
    ENGINE.result->bounds_sleeps |= held.a_sleep;
    ENGINE.result->bounds_yields |= held.a_yield;
  }
  bool waits = ENGINE.waiting_for_time && !ENGINE.enabled.count && !ENGINE.body_has_ended;
  if (waits && interlock_time_is_exact()) add_next_times(false);
  if (ENGINE.may_go_on && ENGINE.enabled.count && !ENGINE.is_warming_up) add_those_that_may();
}

#endif
