/// Dispatch's calls of explored threads: see interlock_performer.h. No part of the module.
#ifndef INTERLOCK_DISPATCH_PERFORMER_H
#define INTERLOCK_DISPATCH_PERFORMER_H

#include "interlock_performer.h"

#ifdef INTERLOCK_INTERPOSES

/// Something that is handed to a queue.
typedef struct {
  void *queue;
  void (*function)(void *);
  void *context;
  /// Of the events: `BARRIER`, `DELAYED`, `ON_GROUP`, `JOB`, `GROUP`.
  uint32_t flags;
  /// With `GROUP`, the group that is left when the block has ended; with `ON_GROUP`, the one that
  /// is waited for.
  void *group;
  /// The job with `JOB`; the work item, or NULL.
  const void *job;
  void *work_item;
  /// With `DELAYED`: when, in nanoseconds of the virtual clock.
  uint64_t due;
} interlock_dispatch_request;

/// Calls named `ask_…` come before the call's events, and let other threads go first. The others
/// perform it.
typedef struct interlock_dispatch_performer {
  void (*ask_enqueue)(const interlock_dispatch_request *, interlock_site);
  void (*enqueue)(const interlock_dispatch_request *, interlock_site);

  /// `is_barrier` of a synchronous call on a concurrent queue.
  void (*ask_sync)(void *queue, bool is_barrier, interlock_site);
  void (*sync)(void *queue, void (*function)(void *), void *context, bool is_barrier,
               interlock_site);
  void (*apply)(size_t count, void *queue, void (*function)(void *, size_t), void *context,
                interlock_site);

  void (*group_made)(void *group);
  void (*group_enter)(void *group, interlock_site);
  /// False for a group of libdispatch's own: the call is to be made.
  bool (*ask_leave)(void *group, interlock_site);
  void (*group_leave)(void *group, interlock_site);
  /// 0 if the group was empty before `due`.
  long (*group_wait)(void *group, uint64_t due, interlock_site);

  void (*semaphore_made)(void *semaphore, intptr_t value);
  intptr_t (*semaphore_wait)(void *semaphore, uint64_t due, interlock_site);
  void (*ask_signal)(void *semaphore, interlock_site);
  intptr_t (*semaphore_signal)(void *semaphore);

  // Work items.
  void (*item_made)(void *item);
  /// It was called by the caller itself, synchronously.
  void (*item_ran)(void *item, uintptr_t place);
  /// Returns 0 if the item has run before `due`.
  long (*item_wait)(void *item, uint64_t due, interlock_site);
  void (*item_notify)(void *item, const interlock_dispatch_request *, interlock_site);
  /// The item is about to be cancelled, or asked whether it is.
  void (*ask_item)(void *item, bool cancels, interlock_site);

  void (*queue_made)(void *queue, bool is_inactive);
  void (*suspend)(void *object, interlock_site);
  void (*resume)(void *object, interlock_site);
  /// True if the real call is to be made too: the object was inactive.
  bool (*activate)(void *object, interlock_site);
  bool (*set_target)(void *object, void *target, interlock_site);
  /// A value of the queue: true if the model destroys it, when the execution is over.
  bool (*keep_specific)(void *queue, void *value, void (*destroy)(void *));
  /// The queue that the calling thread is on, and what that runs on; NULL for none.
  void *(*current_queue)(void);
  void *(*target_of)(void *queue);
  /// Ends the execution where a precondition on queues does not hold, as libdispatch traps.
  void (*expect_queue)(void *queue, bool is_on, bool as_barrier, interlock_site);

  /// A timer source: an object that stands for it, NULL where the source is of another kind.
  void *(*source_made)(const void *type, void *queue);
  bool (*is_source)(void *object);
  void (*source_set_timer)(void *source, uint64_t due, uint64_t interval, interlock_site);
  void (*source_set_handler)(void *source, void (*function)(void *), void *context, bool is_block,
                             bool on_cancel);
  void (*source_cancel)(void *source, interlock_site);
  bool (*source_is_cancelled)(void *source, interlock_site);

  /// An operation that no model has: it is made, and named as one that escaped control.
  void (*escaped)(const char *operation);
} interlock_dispatch_performer;

/// Installed with the performer of the C library's calls.
extern const interlock_dispatch_performer *interlock_dispatch HIDDEN;

#endif
#endif
