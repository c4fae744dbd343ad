// A record of each thread, and who a thread is.
#include "prediction.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "interlock_runtime.h"

__thread thread_state *interlock_own_state;
static thread_state *all_states;
static int states_lock;
static pthread_key_t exit_key;
static uint64_t numbers;

uint64_t interlock_next_number(void) {
  // Relaxed: only that no two are equal is asked for.
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

static void thread_exits(void *own) {
  thread_state *state = own;
  for (uint32_t index = 0; index < state->held_count; index++) {
    interlock_note_left_lock(state, &state->held[index], INTERLOCK_INCIDENT_LEFT_BY_THREAD);
  }
  state->held_count = 0;
  interlock_own_state = NULL;
  // Release: who takes the record again sees it as this thread left it.
  __atomic_store_n(&state->used, 0, __ATOMIC_RELEASE);
}

bool interlock_others_hold_locks(void) {
  bool found = false;
  take(&states_lock);
  for (thread_state *state = all_states; state && !found; state = state->next) {
    if (state == interlock_own_state || !__atomic_load_n(&state->used, __ATOMIC_ACQUIRE)) continue;
    // Relaxed: a hint, of a list that its thread may be changing.
    uint32_t count = __atomic_load_n(&state->held_count, __ATOMIC_RELAXED);
    for (uint32_t index = 0; index < count && index < INTERLOCK_HELD_LOCKS_MOST; index++) {
      if (state->held[index].kind != INTERLOCK_OBJECT_QUEUE) found = true;
    }
  }
  give(&states_lock);
  return found;
}

bool interlock_states_prepare(void) { return pthread_key_create(&exit_key, thread_exits) == 0; }

void interlock_states_forked(void) { states_lock = 0; }

static thread_state *claim(void) {
  take(&states_lock);
  thread_state *found = all_states;
  while (found && __atomic_load_n(&found->used, __ATOMIC_ACQUIRE)) found = found->next;
  if (!found) {
    // Many at a time, from the system: malloc may be what is being called.
    enum { together = 32 };
    thread_state *states = mmap(NULL, together * sizeof(thread_state), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (states == MAP_FAILED) {
      interlock_losses.threads = true;
      give(&states_lock);
      return NULL;
    }
    for (int index = 0; index < together; index++) {
      states[index].next = index + 1 < together ? &states[index + 1] : all_states;
    }
    all_states = found = states;
  }
  thread_state *next = found->next;
  memset(found, 0, sizeof *found);
  found->next = next;
  found->number = interlock_next_number();
  __atomic_store_n(&found->used, 1, __ATOMIC_RELEASE);
  give(&states_lock);
  interlock_own_state = found;
  pthread_setspecific(exit_key, found);
  return found;
}

/// Hidden: the handler of a signal that comes meanwhile would come here too, and wait for its own
/// thread.
thread_state *interlock_make_state(void) {
  interlock_events_hide_thread(true);
  thread_state *made = claim();
  interlock_events_hide_thread(false);
  return made;
}

// Who acts.

static thread_run *innermost_block(thread_state *state) {
  uint32_t count = state->run_count < runs_most ? state->run_count : runs_most;
  while (count-- > 0) {
    if (state->runs[count].number) return &state->runs[count];
  }
  return NULL;
}

enum { of_thread = 1, of_block, of_task };
static uint64_t owner_of(uint64_t kind, uint64_t number) { return kind << 62 | number; }

/// Whether the calling thread acts for the caller of a synchronous block: it runs no other in it.
static bool is_callers(thread_state *state) {
  const thread_run *block = state->adopted_run ? innermost_block(state) : NULL;
  return state->adopted_run && (!block || block - state->runs + 1 < state->adopted_run);
}

uint64_t interlock_owner(thread_state *state, uintptr_t *gate) {
  if (is_callers(state)) {
    *gate = state->adopted_gate;
    return state->adopted_owner;
  }
  *gate = 0;
  uint64_t task = interlock_current_task();
  if (task) {
    // An actor lets one in at a time, and no event tells of it.
    if (swift_task_getCurrentExecutor) *gate = swift_task_getCurrentExecutor().identity;
    return owner_of(of_task, task);
  }
  const thread_run *block = innermost_block(state);
  return block ? owner_of(of_block, block->number) : owner_of(of_thread, state->number);
}

uint64_t interlock_final_owner(thread_state *state, uint64_t owner, uintptr_t place) {
  if (owner >> 62 != of_block || is_callers(state)) return owner;
  thread_run *block = innermost_block(state);
  if (block->is_operation == UNKNOWN) {
    uintptr_t frames[48];
    size_t count = interlock_unwind_frames(frames, sizeof frames / sizeof *frames), first = 0;
    // Before the place lies the lock's own function, which may be Foundation's.
    while (first < count && frames[first] != place) first++;
    if (first == count) return owner_of(of_block, 0);
    block->is_operation = NO;
    for (size_t index = first; index < count; index++) {
      if (interlock_events_is_foundation(frames[index])) block->is_operation = YES;
    }
  }
  return block->is_operation == YES ? owner_of(of_block, 0) : owner;
}

/// The frame above another; 0 where there is none that can be read.
static uintptr_t next_frame(uintptr_t frame) {
  enum { farthest = 4096 };
  uintptr_t next = *(const uintptr_t *)frame;
  return next > frame && next - frame <= farthest && next % sizeof(uintptr_t) == 0 ? next : 0;
}

/// The stack from a place on that a library's function returns to which has no frame of its own, as
/// Dispatch's in Swift have none: an unwinder ends there. The place lies right behind the frame of
/// what that function called. Empty elsewhere.
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

void interlock_describe_actor(const thread_state *state, uintptr_t place,
                              interlock_actor_view *actor) {
  memset(actor, 0, sizeof *actor);
  actor->thread = (uint32_t)interlock_thread_number();
  actor->is_task = interlock_current_task() != 0;
  pthread_getname_np(pthread_self(), actor->name, sizeof actor->name);
  uint32_t runs = state->run_count < runs_most ? state->run_count : runs_most;
  uintptr_t target;
  if (runs > 0 && dispatch_queue_get_label &&
      interlock_queue_look(state->runs[runs - 1].queue, &target) != 0) {
    const char *label = dispatch_queue_get_label((void *)state->runs[runs - 1].queue);
    if (label) strncpy(actor->queue, label, sizeof actor->queue - 1);
  }
  // From the place on: what lies before it is ours, or a library's.
  uintptr_t frames[INTERLOCK_ORDER_STACK + 16];
  size_t count = interlock_unwind_frames(frames, sizeof frames / sizeof *frames);
  size_t first = 0;
  while (first < count && frames[first] != place) first++;
  if (first == count) add_frames_from(place, actor);
  while (first < count && actor->stack_count < INTERLOCK_ORDER_STACK) {
    actor->stack[actor->stack_count++] = frames[first++];
  }
}
