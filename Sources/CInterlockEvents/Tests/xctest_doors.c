// Gives the test cases of XCTest to a runner, and makes their waits waits of the model: XCTest
// polls a run loop until another thread stops the loop.
//
// The vtables of a user's test classes are in the executable, so they refer to the definitions
// here.
#include "../doors.h"
#include "interlock_dispatch_performer.h"
#include "interlock_tests.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__has_attribute)
#if __has_attribute(swiftcall) && (defined(__x86_64__) || defined(__aarch64__))
#define MEETS_XCTEST 1
#endif
#endif

#ifdef MEETS_XCTEST

#define SWIFT_CALL __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

#define INVOKE "$s6XCTest0A4CaseC10invokeTestyyF"
#define RECORD                                                                             \
  "$s6XCTest0A4CaseC13recordFailure15withDescription6inFile6atLine8expectedySS_SSSiSbtF"
#define CURRENT "$s10Foundation7RunLoopC7currentACvgZ"
#define STOP "$s10Foundation7RunLoopC5_stopyyF"

static const interlock_xctest_runner *runner;

INTERPOSED SWIFT_CALL void invoke_test(SELF) __asm__(INVOKE);
SWIFT_CALL void invoke_test(SELF) {
  // Relaxed: set while there is one thread.
  const interlock_xctest_runner *by = __atomic_load_n(&runner, __ATOMIC_RELAXED);
  typedef SWIFT_CALL void call(SELF);
  static uintptr_t known;
  if (!by || !by->invokes(self)) ((call *)find_real(&known, INVOKE))(self);
}

typedef SWIFT_CALL void record_call(uintptr_t, uintptr_t, uintptr_t, uintptr_t, intptr_t, bool,
                                    SELF);

INTERPOSED record_call record_failure __asm__(RECORD);
SWIFT_CALL void record_failure(uintptr_t text, uintptr_t more_text, uintptr_t file,
                               uintptr_t more_file, intptr_t line, bool is_expected, SELF) {
  static uintptr_t known;
  const interlock_xctest_runner *by = __atomic_load_n(&runner, __ATOMIC_RELAXED);
  const uintptr_t description[2] = {text, more_text}, path[2] = {file, more_file};
  if (by && by->fails(description, path, line)) return;
  ((record_call *)find_real(&known, RECORD))(text, more_text, file, more_file, line, is_expected,
                                             self);
}

bool interlock_xctest_run_by(const interlock_xctest_runner *by) {
  if (!interlock_find_real(INVOKE) || !interlock_find_real(RECORD)) return false;
  __atomic_store_n(&runner, by, __ATOMIC_RELAXED);
  return true;
}

INTERPOSED SWIFT_CALL void *current_run_loop(SELF) __asm__(CURRENT);
SWIFT_CALL void *current_run_loop(SELF) {
  typedef SWIFT_CALL void *call(SELF);
  static uintptr_t known;
  // A waiter asks for its run loop first. An expectation with a predicate does too, but its
  // creation has left the exploration already (calls_outside.h).
  if (interlock_is_controlled() && interlock_is_xctest(RETURNS_TO)) {
    interlock_dispatch->waiter_begins();
  }
  return ((call *)find_real(&known, CURRENT))(self);
}

INTERPOSED SWIFT_CALL void stop_run_loop(SELF) __asm__(STOP);
SWIFT_CALL void stop_run_loop(SELF) {
  typedef SWIFT_CALL void call(SELF);
  static uintptr_t known;
  // No explored thread runs a real loop, and a stop would end the loop's next run.
  if (interlock_is_controlled()) return interlock_dispatch->stop_poll(self);
  ((call *)find_real(&known, STOP))(self);
}

#else
bool interlock_xctest_run_by(const interlock_xctest_runner *by) { return (void)by, false; }
#endif
