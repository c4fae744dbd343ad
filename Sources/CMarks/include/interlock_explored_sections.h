/// Sections and sync points of explored threads: the calls of the tracker to the explorer, and of
/// the explorer to the tracker. Not for use outside the package.
#ifndef INTERLOCK_EXPLORED_SECTIONS_H
#define INTERLOCK_EXPLORED_SECTIONS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The next action of a thread.
typedef enum {
  INTERLOCK_SECTION_READ_BEGINS = 0,
  INTERLOCK_SECTION_WRITE_BEGINS,
  INTERLOCK_SECTION_READ_ENDS,
  INTERLOCK_SECTION_WRITE_ENDS,
  INTERLOCK_SYNC_POINT_REACHED,
} interlock_section_step;

/// A line of source code. The strings live as long as the process. `lengths` has the lengths of the
/// file's and of the function's name, 32 bits each, with all bits set for a string that ends by 0.
typedef struct {
  uintptr_t file, function, lengths, line;
} interlock_section_site;

/// The explorer's part. Only threads that it explores are affected.
typedef struct {
  /// Returns a number of the calling thread that no other explored thread of the process has; its
  /// lower 20 bits are the thread's number in its execution. 0 if the thread is not explored.
  uint64_t (*thread)(void);
  /// Returns when the explorer lets the calling thread continue; hides the thread's own calls until
  /// `done`. Does nothing on a thread that is not explored.
  void (*reach)(interlock_section_step step, uint64_t key, interlock_section_site site);
  /// Returns when the explorer lets the calling thread lock a mutex whose fast path makes no call.
  /// `unlock` is called before the mutex is unlocked.
  void (*lock)(const void *mutex, interlock_section_site site);
  void (*unlock)(const void *mutex);
  /// Hides the calling thread's calls until `done`.
  void (*hide)(void);
  void (*done)(void);
  /// Fails the running execution: two sections conflict.
  void (*fail)(const char *text);
} interlock_explored_sections;

/// Sets the explorer; NULL for none. It must live as long as the process.
void interlock_set_explored_sections(const interlock_explored_sections *sections);
extern const interlock_explored_sections *interlock_explored_sections_now;
static inline const interlock_explored_sections *interlock_get_explored_sections(void) {
  // Acquire: pairs with the release in `interlock_set_explored_sections`.
  return __atomic_load_n(&interlock_explored_sections_now, __ATOMIC_ACQUIRE);
}

/// Defined by the tracker, in Swift. Called when an execution with sections has ended: closes its
/// open sections, and forgets the stored ones, so that they are not compared with the next
/// execution's.
void interlock_sections_of_execution_ended(void);
/// Called when the setting has changed that the beginning and the end of a section read.
void interlock_explored_sections_changed(void);

#ifdef __cplusplus
}
#endif

#endif
