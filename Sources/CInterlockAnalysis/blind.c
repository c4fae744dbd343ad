// The analysis in a build without interposed calls: no thread has a record, and no wait is known.
#include "thread_record.h"

#ifndef INTERLOCK_INTERPOSES

__thread thread_record *interlock_own_record;
thread_record *interlock_claim_record(void) { return NULL; }
thread_record *interlock_first_record(void) { return NULL; }
bool interlock_follow(interlock_part part) {
  (void)part;
  return false;
}

bool interlock_waits_start(void) { return false; }
bool interlock_waits_started(void) { return false; }
uint64_t interlock_waits_progress(void) { return 0; }
size_t interlock_waits_threads(interlock_thread_view *threads, size_t capacity) {
  (void)threads, (void)capacity;
  return 0;
}
size_t interlock_waits_kept_locks(uint64_t scope, bool all, interlock_kept_lock *locks,
                                  size_t capacity) {
  (void)scope, (void)all, (void)locks, (void)capacity;
  return 0;
}
bool interlock_waits_is_kept(uintptr_t lock, uint32_t kind, uint32_t thread) {
  (void)lock, (void)kind, (void)thread;
  return false;
}
size_t interlock_waits_own_locks(interlock_kept_lock *locks, size_t capacity) {
  (void)locks, (void)capacity;
  return 0;
}
size_t interlock_waits_queues(interlock_queue_view *views, size_t capacity) {
  (void)views, (void)capacity;
  return 0;
}
size_t interlock_waits_items(uintptr_t queue, interlock_item_view *items, size_t capacity) {
  (void)queue, (void)items, (void)capacity;
  return 0;
}
size_t interlock_waits_root_list(uintptr_t root, interlock_root_item *items, size_t capacity) {
  (void)root, (void)items, (void)capacity;
  return 0;
}
interlock_code_reader *interlock_code_reader_make(void) { return NULL; }
void interlock_code_reader_free(interlock_code_reader *reader) { (void)reader; }
uint64_t interlock_waits_code(interlock_code_reader *reader, uintptr_t function, uintptr_t context,
                              uint32_t flags) {
  (void)reader, (void)function, (void)context, (void)flags;
  return 0;
}
uint64_t interlock_waits_values(interlock_code_reader *reader, uintptr_t function,
                                uintptr_t context, uint32_t flags) {
  (void)reader, (void)function, (void)context, (void)flags;
  return 0;
}
bool interlock_waits_straight(interlock_code_reader *reader, uintptr_t function, uintptr_t context,
                              uint32_t flags, uintptr_t place) {
  (void)reader, (void)function, (void)context, (void)flags, (void)place;
  return false;
}
size_t interlock_waits_turns(uintptr_t root, uint64_t *turns, size_t capacity) {
  (void)root, (void)turns, (void)capacity;
  return 0;
}
void interlock_waits_describe_queue(uintptr_t queue, interlock_queue_view *view) {
  (void)queue, (void)view;
}
uintptr_t interlock_waits_root(uintptr_t queue) {
  (void)queue;
  return 0;
}
bool interlock_waits_object(uintptr_t object, interlock_object_view *view) {
  (void)object, (void)view;
  return false;
}
size_t interlock_waits_continuations(interlock_object_view *views, size_t capacity) {
  (void)views, (void)capacity;
  return 0;
}
uintptr_t interlock_waits_made(uintptr_t lock) {
  (void)lock;
  return 0;
}
uintptr_t interlock_waits_made_by(uintptr_t lock, uintptr_t callers[INTERLOCK_CALLERS_MOST]) {
  (void)lock, (void)callers;
  return 0;
}
bool interlock_lock_is_made_at(uintptr_t lock, uint32_t kind, uintptr_t place) {
  (void)lock, (void)kind, (void)place;
  return true;
}
size_t interlock_waits_left_locks(interlock_left_lock *locks, size_t capacity) {
  (void)locks, (void)capacity;
  return 0;
}
uint32_t interlock_lock_writer(uintptr_t lock) {
  (void)lock;
  return 0;
}
bool interlock_lock_is_held_by(uintptr_t lock, uint32_t kind, uint32_t thread) {
  (void)lock, (void)kind, (void)thread;
  return false;
}
bool interlock_waits_is_partial(void) { return true; }
void interlock_waits_on_self(void (*listener)(const interlock_self_wait *)) { (void)listener; }
uint32_t interlock_mutex_owner(uintptr_t mutex) {
  (void)mutex;
  return 0;
}
bool interlock_peek(uintptr_t address, void *bytes, size_t count) {
  (void)address, (void)bytes, (void)count;
  return false;
}

#endif
