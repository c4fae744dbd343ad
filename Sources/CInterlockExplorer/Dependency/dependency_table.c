// The dependency table. A pair without a row is dependent; a pair of kinds that never meet on one
// object (a lock and a queue) needs none.

#include "dependency_table.h"

#define K(name) INTERLOCK_OPERATION_##name
#define WAKE INTERLOCK_EFFECT_WAKE
#define TOUCH INTERLOCK_EFFECT_TOUCH
#define COMMUTES(a, b, reason) {a, b, INTERLOCK_COMMUTES, 0, reason}
#define DEPENDS(a, b, reason) {a, b, INTERLOCK_DEPENDS, 0, reason}
/// For two accesses of one object: dependent unless they have no byte in common.
#define SAME_BYTES(a, b, reason) \
  {a, b, INTERLOCK_DEPENDS_UNLESS_EITHER, INTERLOCK_OPERATION_BYTES_LEFT_OUT, reason}
#define UNLESS_BOTH(flag, a, b, reason) {a, b, INTERLOCK_DEPENDS_UNLESS_BOTH, flag, reason}

enum {
  FAILED = INTERLOCK_OPERATION_FAILED,
  NO_NOTIFICATION = INTERLOCK_OPERATION_NO_NOTIFICATION,
  BALANCED = INTERLOCK_OPERATION_BALANCED,
  CONCURRENT = INTERLOCK_OPERATION_CONCURRENT,
  LEAVES_BARRIER = INTERLOCK_OPERATION_LEAVES_BARRIER,
  TIME_IS_A_CHOICE = INTERLOCK_OPERATION_TIME_IS_A_CHOICE,
};

const interlock_dependency_rule interlock_dependency_rules[] = {
    // Threads. A thread cannot take its first step before its creation, so that pair needs no row.
    DEPENDS(K(END), K(JOIN), "the end enables the join"),
    COMMUTES(K(JOIN), K(JOIN), "each finds the thread ended"),

    // Mutexes, spin locks, actors, initialisers and read-write locks.
    UNLESS_BOTH(FAILED, K(LOCK), K(LOCK), "each disables the other; two that timed out do not"),
    UNLESS_BOTH(FAILED, K(LOCK), K(TRY_LOCK), "the lock makes the try fail, and the reverse"),
    DEPENDS(K(LOCK), K(UNLOCK), "the unlock enables the lock"),
    UNLESS_BOTH(FAILED, K(LOCK), K(LOCK_SHARED), "each disables the other"),
    UNLESS_BOTH(FAILED, K(LOCK), K(TRY_LOCK_SHARED), "the lock makes the try fail"),
    DEPENDS(K(LOCK), K(UNLOCK_SHARED), "the last reader's unlock enables the lock"),
    UNLESS_BOTH(FAILED, K(TRY_LOCK), K(TRY_LOCK), "the first makes the second fail"),
    DEPENDS(K(TRY_LOCK), K(UNLOCK), "the unlock decides whether the try succeeds"),
    UNLESS_BOTH(FAILED, K(TRY_LOCK), K(LOCK_SHARED), "a reader makes the try fail"),
    UNLESS_BOTH(FAILED, K(TRY_LOCK), K(TRY_LOCK_SHARED), "the first makes the second fail"),
    DEPENDS(K(TRY_LOCK), K(UNLOCK_SHARED), "the last reader's unlock lets the try succeed"),
    COMMUTES(K(UNLOCK), K(UNLOCK), "a lock has one owner: never both, and acquiring orders them"),
    DEPENDS(K(UNLOCK), K(LOCK_SHARED), "the unlock enables the readers"),
    DEPENDS(K(UNLOCK), K(TRY_LOCK_SHARED), "the unlock decides whether the try succeeds"),
    COMMUTES(K(UNLOCK), K(UNLOCK_SHARED), "a writer and a reader never hold the lock at once"),
    COMMUTES(K(LOCK_SHARED), K(LOCK_SHARED), "readers do not exclude each other"),
    COMMUTES(K(LOCK_SHARED), K(TRY_LOCK_SHARED), "readers do not exclude each other"),
    COMMUTES(K(LOCK_SHARED), K(UNLOCK_SHARED), "readers do not exclude each other"),
    COMMUTES(K(TRY_LOCK_SHARED), K(TRY_LOCK_SHARED), "readers do not exclude each other"),
    COMMUTES(K(TRY_LOCK_SHARED), K(UNLOCK_SHARED), "a reader that leaves excludes no reader"),
    COMMUTES(K(UNLOCK_SHARED), K(UNLOCK_SHARED), "the readers are counted"),

    // Conditions.
    DEPENDS(K(WAIT), K(WAIT), "the order of the waiters numbers what a signal picks from"),
    DEPENDS(K(WAIT), K(SIGNAL), "a signal before the wait is lost"),
    DEPENDS(K(WAIT), K(BROADCAST), "a broadcast before the wait is lost"),
    DEPENDS(K(SIGNAL), K(SIGNAL), "the second picks from what the first has left"),
    DEPENDS(K(SIGNAL), K(BROADCAST), "a signal after the broadcast wakes no thread"),
    COMMUTES(K(BROADCAST), K(BROADCAST), "the second finds no waiter"),
    DEPENDS(K(SIGNAL), WAKE, "the signal enables the waiter"),
    DEPENDS(K(BROADCAST), WAKE, "the broadcast enables the waiter"),
    COMMUTES(WAKE, WAKE, "both are off the list of waiters; the mutex orders them"),
    COMMUTES(K(WAIT), WAKE, "a woken waiter is off the list; the mutex orders them"),

    // Semaphores.
    DEPENDS(K(SEMAPHORE_WAIT), K(SEMAPHORE_WAIT), "one takes what the other waits for"),
    DEPENDS(K(SEMAPHORE_WAIT), K(SEMAPHORE_TRY), "one takes what the other asks for"),
    DEPENDS(K(SEMAPHORE_WAIT), K(SEMAPHORE_SIGNAL), "the signal enables the wait"),
    UNLESS_BOTH(FAILED, K(SEMAPHORE_TRY), K(SEMAPHORE_TRY), "one takes what the other asks for"),
    DEPENDS(K(SEMAPHORE_TRY), K(SEMAPHORE_SIGNAL), "the signal lets the try succeed"),
    COMMUTES(K(SEMAPHORE_SIGNAL), K(SEMAPHORE_SIGNAL), "the value is a sum"),

    // Barriers.
    UNLESS_BOTH(LEAVES_BARRIER, K(BARRIER_WAIT), K(BARRIER_WAIT),
                "the last to arrive releases the others and returns another value"),

    // Groups. With a notification registered, it matters which leave was the last.
    COMMUTES(K(GROUP_ENTER), K(GROUP_ENTER), "the count is a sum"),
    UNLESS_BOTH(BALANCED, K(GROUP_ENTER), K(GROUP_LEAVE),
                "the leave submits the notifications, or traps, if it comes first"),
    DEPENDS(K(GROUP_ENTER), K(GROUP_WAIT), "the enter disables the wait"),
    DEPENDS(K(GROUP_ENTER), K(GROUP_NOTIFY), "on an empty group the notification is submitted"),
    UNLESS_BOTH(NO_NOTIFICATION, K(GROUP_LEAVE), K(GROUP_LEAVE),
                "the last one submits the notifications"),
    DEPENDS(K(GROUP_LEAVE), K(GROUP_WAIT), "the last leave enables the wait"),
    DEPENDS(K(GROUP_LEAVE), K(GROUP_NOTIFY), "on an empty group the notification is submitted"),
    COMMUTES(K(GROUP_WAIT), K(GROUP_WAIT), "each finds the group empty"),
    COMMUTES(K(GROUP_WAIT), K(GROUP_NOTIFY), "neither changes the count"),
    DEPENDS(K(GROUP_NOTIFY), K(GROUP_NOTIFY), "notifications are submitted in their order"),

    // Queues. A queue's blocks begin in the order in which they were added.
    DEPENDS(K(ENQUEUE), K(ENQUEUE), "the order in the queue"),
    COMMUTES(K(ENQUEUE), K(BEGIN), "one is at the tail, the other at the head"),
    COMMUTES(K(ENQUEUE), K(BEGIN_BARRIER), "a barrier waits for earlier blocks only"),
    COMMUTES(K(ENQUEUE), K(FINISH), "a new block waits behind the earlier ones either way"),
    COMMUTES(K(ENQUEUE), K(SUSPEND), "a suspended queue takes blocks"),
    COMMUTES(K(ENQUEUE), K(RESUME), "a suspended queue takes blocks"),
    UNLESS_BOTH(CONCURRENT, K(BEGIN), K(BEGIN), "the order of a serial queue"),
    DEPENDS(K(BEGIN), K(BEGIN_BARRIER), "a barrier excludes every other block"),
    UNLESS_BOTH(CONCURRENT, K(BEGIN), K(FINISH), "the end of a block enables the next"),
    DEPENDS(K(BEGIN), K(SUSPEND), "a suspended queue begins no block"),
    DEPENDS(K(BEGIN), K(RESUME), "the resume enables the block"),
    DEPENDS(K(BEGIN_BARRIER), K(BEGIN_BARRIER), "a barrier excludes every other block"),
    DEPENDS(K(BEGIN_BARRIER), K(FINISH), "the last earlier block enables the barrier"),
    DEPENDS(K(BEGIN_BARRIER), K(SUSPEND), "a suspended queue begins no block"),
    DEPENDS(K(BEGIN_BARRIER), K(RESUME), "the resume enables the barrier"),
    COMMUTES(K(FINISH), K(FINISH), "the running blocks are counted"),
    COMMUTES(K(FINISH), K(SUSPEND), "a running block is not suspended"),
    COMMUTES(K(FINISH), K(RESUME), "a running block is not suspended"),
    COMMUTES(K(SUSPEND), K(SUSPEND), "the suspensions are counted"),
    DEPENDS(K(SUSPEND), K(RESUME), "a resume without a suspension traps"),
    DEPENDS(K(RESUME), K(RESUME), "a resume without a suspension traps"),
    COMMUTES(K(CANCEL_ITEM), K(CANCEL_ITEM), "the second changes nothing"),
    DEPENDS(K(CANCEL_ITEM), K(TEST_ITEM), "the cancel decides what the test finds"),
    COMMUTES(K(TEST_ITEM), K(TEST_ITEM), "both only read"),

    // Pools.
    DEPENDS(K(TAKE_WORKER), K(TAKE_WORKER), "one takes what the other waits for"),
    DEPENDS(K(TAKE_WORKER), K(GIVE_WORKER), "the worker given back enables the block"),
    COMMUTES(K(GIVE_WORKER), K(GIVE_WORKER), "the free workers are counted"),

    // Tasks and continuations.
    COMMUTES(K(AWAIT), K(AWAIT), "each finds the task complete"),
    DEPENDS(K(AWAIT), K(COMPLETE), "the end enables the await"),
    COMMUTES(K(AWAIT), K(CANCEL), "an await does not look at the cancellation"),
    COMMUTES(K(AWAIT), K(TEST_CANCEL), "both only read"),
    COMMUTES(K(COMPLETE), K(CANCEL), "a task that has ended may still be marked"),
    COMMUTES(K(COMPLETE), K(TEST_CANCEL), "the end does not change the mark"),
    COMMUTES(K(CANCEL), K(CANCEL), "the second changes nothing"),
    DEPENDS(K(CANCEL), K(TEST_CANCEL), "the cancel decides what the test finds"),
    COMMUTES(K(TEST_CANCEL), K(TEST_CANCEL), "both only read"),
    DEPENDS(K(CONTINUATION_WAIT), K(CONTINUATION_RESUME), "the resume enables the wait"),
    DEPENDS(K(CONTINUATION_RESUME), K(CONTINUATION_RESUME), "the second one traps"),

    // Sections. While a section is open, its code runs on to the section's end or to a point within
    // it.
    COMMUTES(K(SECTION_READ), K(SECTION_READ), "both only read"),
    DEPENDS(K(SECTION_READ), K(SECTION_WRITE), "the write decides what is read"),
    DEPENDS(K(SECTION_WRITE), K(SECTION_WRITE), "the last one stays"),
    COMMUTES(K(SECTION_READ), K(SECTION_READ_END), "both only read"),
    DEPENDS(K(SECTION_READ), K(SECTION_WRITE_END), "a begin before the end is a conflict"),
    DEPENDS(K(SECTION_WRITE), K(SECTION_READ_END), "a begin before the end is a conflict"),
    DEPENDS(K(SECTION_WRITE), K(SECTION_WRITE_END), "a begin before the end is a conflict"),
    COMMUTES(K(SECTION_READ_END), K(SECTION_READ_END), "an end accesses nothing"),
    COMMUTES(K(SECTION_READ_END), K(SECTION_WRITE_END), "an end accesses nothing"),
    COMMUTES(K(SECTION_WRITE_END), K(SECTION_WRITE_END), "an end accesses nothing"),
    DEPENDS(K(SYNC_POINT), K(SYNC_POINT), "what the code beside it accesses is not known"),

    // Memory.
    COMMUTES(K(READ), K(READ), "both only read"),
    SAME_BYTES(K(READ), K(WRITE), "the write decides what is read"),
    SAME_BYTES(K(READ), K(READ_WRITE), "the write decides what is read"),
    SAME_BYTES(K(WRITE), K(WRITE), "the last one stays"),
    SAME_BYTES(K(WRITE), K(READ_WRITE), "the write decides what is read"),
    SAME_BYTES(K(READ_WRITE), K(READ_WRITE), "the first one decides what the second reads"),

    // Files and folders.
    COMMUTES(K(FILE_READ), K(FILE_READ), "both only read"),
    DEPENDS(K(FILE_READ), K(FILE_CHANGE), "the change decides what is read"),
    COMMUTES(K(FILE_READ), K(FOLDER_PASS), "both only read"),
    DEPENDS(K(FILE_READ), K(FOLDER_CHANGE), "the folder's list shows the entry"),
    DEPENDS(K(FILE_CHANGE), K(FILE_CHANGE), "the last one stays"),
    DEPENDS(K(FILE_CHANGE), K(FOLDER_PASS), "no path leads through a folder that is removed"),
    DEPENDS(K(FILE_CHANGE), K(FOLDER_CHANGE), "only an empty folder can be removed"),
    COMMUTES(K(FOLDER_PASS), K(FOLDER_PASS), "both only read"),
    COMMUTES(K(FOLDER_PASS), K(FOLDER_CHANGE), "the entries are objects of their own"),
    COMMUTES(K(FOLDER_CHANGE), K(FOLDER_CHANGE), "the entries are objects of their own"),

    COMMUTES(TOUCH, TOUCH, "each lets a wait of its own end"),

    // Time: the only object is the clock.
    COMMUTES(K(READ_CLOCK), K(READ_CLOCK), "both only read"),
    DEPENDS(K(READ_CLOCK), K(TIME_UP), "the time that comes moves the clock"),
    UNLESS_BOTH(TIME_IS_A_CHOICE, K(TIME_UP), K(TIME_UP),
                "exact times come in their order; else the clock shows the later one either way"),
};

const size_t interlock_dependency_rule_count =
    sizeof interlock_dependency_rules / sizeof *interlock_dependency_rules;
