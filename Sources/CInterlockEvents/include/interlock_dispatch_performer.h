/// The performer of Dispatch's calls of explored threads: see interlock_performer.h. Not part of
/// the module; included by the C targets only.
#ifndef INTERLOCK_DISPATCH_PERFORMER_H
#define INTERLOCK_DISPATCH_PERFORMER_H

#include "interlock_performer.h"

#ifdef INTERLOCK_INTERPOSES

/// A submission to a queue: a block, a function, a notification or a job.
typedef struct {
  void *queue;
  void (*function)(void *);
  void *context;
  /// Flags of events: `BARRIER`, `DELAYED`, `ON_GROUP`, `JOB`, `GROUP`.
  uint32_t flags;
  /// With `GROUP`, the group that the block leaves when it ends; with `ON_GROUP`, the group for
  /// which the submission waits.
  void *group;
  /// With `JOB`, the job. `work_item` is the work item, or NULL.
  const void *job;
  void *work_item;
  /// With `DELAYED`: the time of the submission, in nanoseconds of the virtual clock.
  uint64_t due;
} interlock_dispatch_request;

/// Called for a submission that will never begin: a reader that lists it must remove it.
void interlock_dispatch_drop(const interlock_dispatch_request *request);

/// Returns the private group that libdispatch leaves when the work item has run for the first time.
void *interlock_group_of_work_item(const void *item);
/// Returns how often libdispatch has run the work item.
uint32_t interlock_runs_of_work_item(const void *item);

/// Returns the number of references that code outside of libdispatch has to an object; 0 if it is
/// unknown.
int interlock_references(const void *object);

/// A poll of a run loop: by a waiter of XCTest, until one source was handled, or for its whole
/// time.
typedef enum {
  INTERLOCK_POLL_OF_WAITER,
  INTERLOCK_POLL_ONCE,
  INTERLOCK_POLL_UNTIL,
} interlock_poll_kind;

/// A function named `ask_…` runs before the call's events and may let other threads run first. The
/// others perform the call.
typedef struct interlock_dispatch_performer {
  void (*ask_enqueue)(const interlock_dispatch_request *, interlock_site);
  void (*enqueue)(const interlock_dispatch_request *, interlock_site);

  /// `is_barrier`: the synchronous call is a barrier on a concurrent queue.
  void (*ask_sync)(void *queue, bool is_barrier, interlock_site);
  void (*sync)(void *queue, void (*function)(void *), void *context, bool is_barrier,
               interlock_site);
  void (*apply)(size_t count, void *queue, void (*function)(void *, size_t), void *context,
                interlock_site);

  void (*group_made)(void *group);
  void (*group_enter)(void *group, interlock_site);
  /// Returns false for a private group of libdispatch: the caller must make the real call.
  bool (*ask_leave)(void *group, interlock_site);
  void (*group_leave)(void *group, interlock_site);
  /// Returns 0 if the group was empty before `due`.
  long (*group_wait)(void *group, uint64_t due, interlock_site);

  void (*semaphore_made)(void *semaphore, intptr_t value);
  intptr_t (*semaphore_wait)(void *semaphore, uint64_t due, interlock_site);
  void (*ask_signal)(void *semaphore, interlock_site);
  intptr_t (*semaphore_signal)(void *semaphore);

  // Work items.
  void (*item_made)(void *item);
  /// Called when the caller is about to run the item itself, synchronously.
  void (*item_begins)(void *item);
  /// Records that the caller ran the item itself, synchronously.
  void (*item_ran)(void *item, uintptr_t place);
  /// Returns 0 if the item has run before `due`.
  long (*item_wait)(void *item, uint64_t due, interlock_site);
  void (*item_notify)(void *item, const interlock_dispatch_request *, interlock_site);
  /// Called when the caller is about to cancel the item, or to test whether it is cancelled.
  void (*ask_item)(void *item, bool cancels, interlock_site);

  void (*queue_made)(void *queue, bool is_inactive);
  /// True: the caller must make the real call too, because the object was inactive, or is a source
  /// that is not modelled.
  bool (*suspend)(void *object, interlock_site);
  bool (*resume)(void *object, interlock_site);
  bool (*activate)(void *object, interlock_site);
  bool (*set_target)(void *object, void *target, interlock_site);
  /// Called before the calling thread releases a reference.
  void (*ask_release)(void *object, interlock_site);
  /// Returns true if the model destroys the queue's value when the execution is over.
  bool (*keep_specific)(void *queue, void *value, void (*destroy)(void *));
  /// Called before the thread reads or sets a specific value of the queue.
  void (*use_specific)(void *queue, bool sets, interlock_site);
  /// The queue that the calling thread is on, and the target of a queue; NULL for none.
  void *(*current_queue)(void);
  void *(*target_of)(void *queue);
  /// Ends the execution if a precondition on queues does not hold; libdispatch would trap.
  void (*expect_queue)(void *queue, bool is_on, bool as_barrier, interlock_site);
  /// `dispatch_main`: ends the execution, because the call never returns.
  void (*leave_main)(interlock_site);

  /// Returns the object that represents a timer source or a source of user data; NULL if the source
  /// is of another kind. `source_is_outside` notes such a source.
  void *(*source_made)(const void *type, void *queue);
  void (*source_is_outside)(void *source);
  bool (*is_source)(void *object);
  void (*source_set_timer)(void *source, uint64_t due, uint64_t interval, interlock_site);
  /// Keeps a context that is a block, and releases the block.
  void (*source_set_handler)(void *source, void (*function)(void *), void *context, bool is_block,
                             bool on_cancel, interlock_site);
  void (*source_merge)(void *source, uintptr_t data, interlock_site);
  uintptr_t (*source_data)(void *source);
  void (*source_cancel)(void *source, interlock_site);
  bool (*source_is_cancelled)(void *source, interlock_site);

  /// Called when a waiter of XCTest begins on the calling thread.
  void (*waiter_begins)(void);
  /// Called for a block that is to run on this queue at `due`. Returns true if XCTest uses the
  /// block for the limit of the thread's waiter; the block is then not needed.
  bool (*waiter_ends_at)(void *queue, uint64_t due);
  /// Polls the calling thread's run loop until the time `before` of the real-time clock. Returns
  /// false if the real loop must run.
  bool (*poll)(void *run_loop, const struct timespec *before, interlock_poll_kind, interlock_site);
  /// Ends the poll of a run loop.
  void (*stop_poll)(void *run_loop);

  /// Records an operation that the model does not have: it is performed and escapes control.
  void (*escaped)(const char *operation);
} interlock_dispatch_performer;

/// Installed with the performer of the C library's calls.
extern const interlock_dispatch_performer *interlock_dispatch HIDDEN;

#endif
#endif
