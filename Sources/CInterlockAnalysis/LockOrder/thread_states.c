// The locks that an ending thread holds, and the owner for which a thread acts.
#include "Graph/order_reader.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "interlock_runtime.h"
#include "interlock_stack_walk.h"

static uint64_t numbers;

uint64_t interlock_next_number(void) {
  // Relaxed: the numbers must only differ.
  return __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
}

uint64_t interlock_coarse_now(void) {
  struct timespec time;
#ifdef CLOCK_MONOTONIC_COARSE
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
#else
  clock_gettime(CLOCK_MONOTONIC, &time);
#endif
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

void interlock_order_miss_thread(void) { interlock_losses.threads = true; }

bool interlock_others_hold_locks(void) {
  for (thread_record *record = interlock_first_record(); record; record = record->next) {
    if (record == interlock_own_record || !is_used(record)) continue;
    // Relaxed: only a hint, since the thread may be changing its list.
    uint32_t count = __atomic_load_n(&record->held.count, __ATOMIC_RELAXED);
    for (uint32_t index = 0; index < count && index < 2 * INTERLOCK_HELD_MOST; index++) {
      const held_lock *lock = &record->held.locks[index];
      if (interlock_is_in_order(lock) && lock->kind != INTERLOCK_OBJECT_QUEUE) return true;
    }
  }
  return false;
}

bool interlock_another_holds(uintptr_t object) {
  for (thread_record *record = interlock_first_record(); record; record = record->next) {
    if (record == interlock_own_record || !is_used(record)) continue;
    // Relaxed: the program orders the holder's acquisition before this thread's release.
    uint32_t count = __atomic_load_n(&record->held.count, __ATOMIC_RELAXED);
    for (uint32_t index = 0; index < count && index < 2 * INTERLOCK_HELD_MOST; index++) {
      const held_lock *lock = &record->held.locks[index];
      if (lock->object == object && interlock_is_in_order(lock) && !lock->is_shared) return true;
    }
  }
  return false;
}

// Owners.

static thread_run *innermost_block(thread_record *own) {
  uint32_t count = own->order.run_count < runs_most ? own->order.run_count : runs_most;
  while (count-- > 0) {
    if (own->order.runs[count].number) return &own->order.runs[count];
  }
  return NULL;
}

enum { of_thread = 1, of_block, of_task };
static uint64_t owner_of(uint64_t kind, uint64_t number) { return kind << 62 | number; }

/// True if the calling thread acts for the caller of a synchronous block, and runs no other block
/// inside it.
static bool is_callers(thread_record *own) {
  const thread_run *block = own->order.adopted_run ? innermost_block(own) : NULL;
  return own->order.adopted_run && (!block || block - own->order.runs + 1 < own->order.adopted_run);
}

uint64_t interlock_owner(thread_record *own, uintptr_t *gate) {
  if (is_callers(own)) {
    *gate = own->order.adopted_gate;
    return own->order.adopted_owner;
  }
  *gate = 0;
  uint64_t task = interlock_current_task();
  if (task) {
    // An actor runs one task at a time, which no event shows.
    if (swift_task_getCurrentExecutor) *gate = swift_task_getCurrentExecutor().identity;
    return owner_of(of_task, task);
  }
  const thread_run *block = innermost_block(own);
  return block ? owner_of(of_block, block->number) : owner_of(of_thread, own->order.number);
}

uint64_t interlock_final_owner(thread_record *own, uint64_t owner, uintptr_t place) {
  if (owner >> 62 != of_block || is_callers(own)) return owner;
  thread_run *block = innermost_block(own);
  if (block->is_operation == UNKNOWN) {
    uintptr_t frames[48];
    size_t count = interlock_unwind_frames(frames, sizeof frames / sizeof *frames), first = 0;
    // Skip the frames of the lock's own function, which may be Foundation's.
    while (first < count && frames[first] != place) first++;
    if (first == count) return owner_of(of_block, 0);
    block->is_operation = NO;
    for (size_t index = first; index < count; index++) {
      if (interlock_events_is_foundation(frames[index])) block->is_operation = YES;
    }
  }
  return block->is_operation == YES ? owner_of(of_block, 0) : owner;
}

/// Returns the caller's frame; 0 if there is none that can be read.
static uintptr_t next_frame(uintptr_t frame) {
  enum { farthest = 4096 };
  uintptr_t next = *(const uintptr_t *)frame;
  return next > frame && next - frame <= farthest && next % sizeof(uintptr_t) == 0 ? next : 0;
}

/// Adds the stack from `place` outwards if the unwinder does not reach it. An unwinder stops at a
/// library function without a frame, such as those of Dispatch's Swift overlay. Their return
/// address `place` is right behind the frame of the function that they called; if it is not there,
/// adds nothing.
static void add_frames_from(uintptr_t place, interlock_actor_view *actor) {
  enum { most_steps = 24, nearest = 6 };
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  for (int step = 0; step < most_steps && actor->stack_count == 0; step++) {
    const uintptr_t *words = (const uintptr_t *)frame;
    frame = next_frame(frame);
    if (!frame) return;
    if (interlock_events_is_users(words[1])) continue;
    for (int index = 2; index < nearest && (uintptr_t)&words[index] < frame; index++) {
      if (words[index] != place) continue;
      actor->stack[actor->stack_count++] = place;
      break;
    }
  }
  while (frame && actor->stack_count > 0 && actor->stack_count < INTERLOCK_ORDER_STACK) {
    actor->stack[actor->stack_count++] = ((const uintptr_t *)frame)[1];
    frame = next_frame(frame);
  }
}

void interlock_describe_actor(const thread_record *own, uintptr_t place,
                              interlock_actor_view *actor) {
  memset(actor, 0, sizeof *actor);
  actor->thread = (uint32_t)interlock_thread_number();
  actor->is_task = interlock_current_task() != 0;
  pthread_getname_np(pthread_self(), actor->name, sizeof actor->name);
  uint32_t runs = own->order.run_count < runs_most ? own->order.run_count : runs_most;
  uintptr_t target;
  if (runs > 0 && dispatch_queue_get_label &&
      interlock_queue_look(own->order.runs[runs - 1].queue, &target) != 0) {
    const char *label = dispatch_queue_get_label((void *)own->order.runs[runs - 1].queue);
    if (label) strncpy(actor->queue, label, sizeof actor->queue - 1);
  }
  // The frames before the place are Interlock's own, or a library's.
  uintptr_t frames[INTERLOCK_ORDER_STACK + 16];
  size_t count = interlock_unwind_frames(frames, sizeof frames / sizeof *frames);
  size_t first = 0;
  while (first < count && frames[first] != place) first++;
  if (first == count) add_frames_from(place, actor);
  while (first < count && actor->stack_count < INTERLOCK_ORDER_STACK) {
    actor->stack[actor->stack_count++] = frames[first++];
  }
}
