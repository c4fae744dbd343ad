// The performer's table of the C library's calls, and the explorer's performer itself.
#include "../Concurrency/tasks.h"
#include "../Dispatch/dispatch.h"
#include "calls.h"
#include "Files/files.h"

#ifdef INTERLOCK_INTERPOSES

#include <malloc.h>

static void note_made(const volatile void *object) {
  interlock_object_forget((const void *)object);
}

static void note_freed(void *block) {
  interlock_objects_freed((uintptr_t)block, malloc_usable_size(block));
}

const interlock_posix_performer interlock_posix_calls = {
    .mutex_lock = interlock_perform_mutex_lock,
    .mutex_try = interlock_perform_mutex_try,
    .mutex_unlock = interlock_perform_mutex_unlock,
    .made = note_made,
    .freed = note_freed,
    .lock_shared = interlock_perform_lock_shared,
    .lock_exclusive = interlock_perform_lock_exclusive,
    .try_shared = interlock_perform_try_shared,
    .try_exclusive = interlock_perform_try_exclusive,
    .rwlock_unlock = interlock_perform_rwlock_unlock,
    .condition_wait = interlock_perform_condition_wait,
    .condition_wake = interlock_perform_condition_wake,
    .semaphore_wait = interlock_perform_semaphore_wait,
    .semaphore_try = interlock_perform_semaphore_try,
    .semaphore_look = interlock_perform_semaphore_look,
    .semaphore_post = interlock_perform_semaphore_post,
    .spin_lock = interlock_perform_spin_lock,
    .spin_try = interlock_perform_spin_try,
    .spin_unlock = interlock_perform_spin_unlock,
    .barrier_wait = interlock_perform_barrier_wait,
    .create = interlock_perform_create,
    .join = interlock_perform_join,
    .detach = interlock_perform_detach,
    .exit = interlock_perform_exit,
    .system_call = interlock_perform_system_call,
    .once_begin = interlock_perform_once_begin,
    .once_end = interlock_perform_once_end,
    .yield = interlock_perform_yield,
    .sleep = interlock_perform_sleep,
    .read_clock = interlock_perform_read_clock,
    .use_file = interlock_position_point,
    .escaped = interlock_escaped,
    .leave = interlock_perform_leave,
};

const interlock_performer interlock_explorer_performer = {.posix = &interlock_posix_calls,
                                                          .dispatch = &interlock_model_performer,
                                                          .tasks = &interlock_task_model};

#endif
