// A thread that polls its run loop, as XCTest does while a test waits. Ten times a second the
// thread runs the loop briefly, and the loop sets a timer to end that run. Neither is progress of
// the program. The events show where a poll begins and ends, and what the loop handled in it; the
// loop's own timer runs hidden.
#include "controlled_dispatch.h"

#ifdef INTERLOCK_INTERPOSES

static void publish_poll(interlock_poll_change change, uint32_t flags) {
  interlock_event event = {.kind = INTERLOCK_EVENT_POLL, .flags = flags, .value = change};
  interlock_publish_fast(&event);
}

#if defined(__has_attribute)
#if __has_attribute(swiftcall) && (defined(__x86_64__) || defined(__aarch64__))

#define SWIFT_CALL __attribute__((swiftcall))

static uint32_t flags_of_poller(uintptr_t returns_to) {
  return interlock_is_xctest(returns_to) ? INTERLOCK_FLAG_INTERNAL : 0;
}

/// Lets the model poll on an explored thread, until a `Date` in seconds since 2001.
static bool is_performed(void *loop, double before, interlock_poll_kind kind,
                         interlock_site site) {
  if (!is_explored_call(site.returns_to)) return false;
  const double since_1970 = 978307200, farthest = 1e12, second = 1e9;
  double seconds = before < farthest ? before + since_1970 : farthest;
  if (!(seconds > 0)) seconds = 0;
  struct timespec time = {.tv_sec = (time_t)seconds};
  time.tv_nsec = (long)((seconds - (double)time.tv_sec) * second);
  if (interlock_is_xctest(site.returns_to)) kind = INTERLOCK_POLL_OF_WAITER;
  return interlock_dispatch->poll(loop, &time, kind, site);
}

/// Forwards the arguments in their registers, whatever they are: at most four words and two
/// floating-point numbers, which suffice for all versions of these methods.
#define POLLS(name, kind, symbol)                                                                 \
  INTERPOSED SWIFT_CALL uintptr_t name(uintptr_t first, uintptr_t second, uintptr_t third,        \
                                       uintptr_t fourth, double number, double other,             \
                                       __attribute__((swift_context)) void *loop) __asm__(symbol); \
  SWIFT_CALL uintptr_t name(uintptr_t first, uintptr_t second, uintptr_t third, uintptr_t fourth, \
                            double number, double other,                                          \
                            __attribute__((swift_context)) void *loop) {                          \
    if (is_performed(loop, number, kind, SITE)) return true;                                      \
    typedef SWIFT_CALL uintptr_t run(uintptr_t, uintptr_t, uintptr_t, uintptr_t, double, double,  \
                                     __attribute__((swift_context)) void *);                      \
    static run *known;                                                                            \
    /* Relaxed: as in REAL. */                                                                    \
    run *real = __atomic_load_n(&known, __ATOMIC_RELAXED);                                        \
    if (!real) {                                                                                  \
      real = (run *)interlock_find_real(symbol);                                                  \
      __atomic_store_n(&known, real, __ATOMIC_RELAXED);                                           \
    }                                                                                             \
    bool is_published = is_wanted(INTERLOCK_EVENT_POLL);                                          \
    if (is_published) publish_poll(INTERLOCK_POLL_BEGINS, flags_of_poller(RETURNS_TO));           \
    interlock_marks.polls++;                                                                      \
    uintptr_t result = real(first, second, third, fourth, number, other, loop);                   \
    interlock_marks.polls--;                                                                      \
    if (is_published) publish_poll(INTERLOCK_POLL_ENDS, 0);                                       \
    return result;                                                                                \
  }

POLLS(run_in_mode, INTERLOCK_POLL_ONCE,
      "$s10Foundation7RunLoopC3run4mode6beforeSbAC4ModeV_0A10Essentials4DateVtF")
POLLS(run_until, INTERLOCK_POLL_UNTIL, "$s10Foundation7RunLoopC3run5untily0A10Essentials4DateV_tF")

#endif
#endif

/// The loop sets its timer again only after the timer has fired, so the poll has handled something.
INTERPOSED int timerfd_settime(int file, int flags, const void *next, void *last) {
  typedef int set(int, int, const void *, void *);
  int result = REAL(set, timerfd_settime)(file, flags, next, last);
  if (interlock_marks.polls && is_wanted(INTERLOCK_EVENT_POLL)) {
    publish_poll(INTERLOCK_POLL_HANDLED, 0);
  }
  return result;
}

// The timer that ends a poll is a Dispatch source, the only source that a poll makes.

/// Hides the handler that runs when the poll's time has passed, or when its timer is cancelled.
static void set_unseen(void *source, block_t handler, interlock_set_handler_call *set) {
  set(source, ^{
    interlock_marks.hidden++;
    handler();
    interlock_marks.hidden--;
    if (is_wanted(INTERLOCK_EVENT_POLL)) publish_poll(INTERLOCK_POLL_TIMED, 0);
  });
}

/// Gives the handler of an explored thread's timer to the model; returns false for another source.
static bool keep_handler(void *source, block_t handler, bool on_cancel, interlock_site site) {
  if (!is_explored_call(site.returns_to) || !interlock_dispatch->is_source(source)) return false;
  function_t function = handler ? call_block : NULL;
  void *copy = handler ? _Block_copy(handler) : NULL;
  interlock_dispatch->source_set_handler(source, function, copy, true, on_cancel, site);
  return true;
}

#define SETS_HANDLER(name, on_cancel)                                   \
  INTERPOSED void name(void *source, block_t handler) {                 \
    interlock_set_handler_call *set = REAL(interlock_set_handler_call, name); \
    if (keep_handler(source, handler, on_cancel, SITE)) return;         \
    if (handler && interlock_is_of_poll(RETURNS_TO)) {                  \
      set_unseen(source, handler, set);                                 \
    } else {                                                            \
      interlock_set_handler(set, source, handler, RETURNS_TO);          \
    }                                                                   \
  }

SETS_HANDLER(dispatch_source_set_event_handler, false)
SETS_HANDLER(dispatch_source_set_cancel_handler, true)

#endif
