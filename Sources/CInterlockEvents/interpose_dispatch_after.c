// Blocks handed to a queue with a delay.
#include "controlled_dispatch.h"
#include "layouts.h"
#include "task_lives.h"

#ifdef INTERLOCK_INTERPOSES

#include <time.h>

/// The monotonic time, in nanoseconds, of a `dispatch_time_t`; 0 means now.
uint64_t interlock_moment(moment_t when) {
  if (when == at_once) return interlock_now();
  if (when == forever) return forever;
  if (when >> 63) {
    // A wall-clock time is stored as its negated nanoseconds.
    struct timespec time;
    interlock_read_clock(CLOCK_REALTIME, &time);
    uint64_t day = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
    // The top two bits select the clock: both for the wall clock, one for the monotonic one.
    uint64_t asked = (when >> 62) == 3 ? (uint64_t)-(int64_t)when : when & 0x3fffffffffffffff;
    uint64_t base = (when >> 62) == 3 ? day : interlock_now();
    return interlock_now() + (asked > base ? asked - base : 0);
  }
  return when;
}

static moment_t realtime_in(moment_t nanoseconds) {
  struct timespec time;
  interlock_read_clock(CLOCK_REALTIME, &time);
  return (moment_t)time.tv_sec * 1000000000 + (moment_t)time.tv_nsec + nanoseconds;
}

bool interlock_check_moments(ptrdiff_t shift) {
  typedef moment_t in(moment_t, int64_t);
  typedef moment_t at(const struct timespec *, int64_t);
  in *monotonic_in = (in *)interlock_find_real("dispatch_time");
  at *wall_in = (at *)interlock_find_real("dispatch_walltime");
  if (!monotonic_in || !wall_in) return true;
  static const moment_t hour = 3600000000000, slack = 60000000000, day_clock = 3;
  // In tests, a shift makes other bits select the clock.
  moment_t early = interlock_now() + hour;
  moment_t soon = monotonic_in(at_once, (int64_t)hour) << shift;
  bool holds = soon >= early && soon <= interlock_now() + hour;
  early = realtime_in(hour);
  moment_t later = wall_in(NULL, (int64_t)hour) << shift;
  moment_t time = (moment_t)-(int64_t)later;
  // The clock may be set meanwhile.
  return holds && later >> 62 == day_clock && time + slack >= early && time <= early + slack &&
         monotonic_in(forever, 0) == forever;
}

typedef void after_block_call(moment_t, queue_t, void *);
typedef void after_function_call(moment_t, queue_t, void *, function_t);

/// `call` and `frame` are the return address and the frame of the user's or a library's call.
static interlock_item *make_delayed(moment_t when, queue_t queue, function_t function,
                                    void *context, uint32_t flags, uintptr_t call,
                                    uintptr_t frame) {
  uintptr_t place = interlock_user_place(call, frame);
  interlock_item *item =
      interlock_make_item(queue, function, context, flags | INTERLOCK_FLAG_DELAYED, place);
  if (item) {
    item->turn = interlock_layout_holds(INTERLOCK_LAYOUT_MOMENT) ? interlock_moment(when) : forever;
  }
  if (item && interlock_follows_lives) interlock_life_of_block(item, call, frame);
  return item;
}

INTERPOSED void dispatch_after(moment_t when, queue_t queue, void *block) {
  after_block_call *real = REAL(after_block_call, dispatch_after);
  if (PASSES_THROUGH(item_kinds)) return real(when, queue, block);
  if (is_controlled_call(RETURNS_TO)) {
    interlock_dispatch_request request = {
        .queue = queue, .flags = INTERLOCK_FLAG_DELAYED, .due = interlock_moment(when)};
    interlock_controlled_enqueue(request, block, SITE);
    return;
  }
  if (interlock_marks.nested || !is_wanted(item_kinds)) return real(when, queue, block);
  if (is_work_item(block)) {
    uint32_t flags = flags_of_work_item(block);
    interlock_list_work_item(make_delayed(when, queue, NULL, block, flags, RETURNS_TO, THIS_FRAME));
    interlock_marks.nested++;
    real(when, queue, block);
    interlock_marks.nested--;
    return;
  }
  void *copy = _Block_copy(block);
  interlock_item *item =
      make_delayed(when, queue, call_and_release_block, copy, 0, RETURNS_TO, THIS_FRAME);
  if (!item) {
    _Block_release(copy);
    return real(when, queue, block);
  }
  interlock_publish_enqueue(item);
  interlock_marks.nested++;
  REAL(after_function_call, dispatch_after_f)(when, queue, item, interlock_run_item);
  interlock_marks.nested--;
}

INTERPOSED void dispatch_after_f(moment_t when, queue_t queue, void *context,
                                 function_t function) {
  after_function_call *real = REAL(after_function_call, dispatch_after_f);
  if (PASSES_THROUGH(item_kinds)) return real(when, queue, context, function);
  if (is_controlled_call(RETURNS_TO)) {
    interlock_dispatch_request request = {.queue = queue,
                                          .function = function,
                                          .context = context,
                                          .job = context,
                                          .flags = INTERLOCK_FLAG_DELAYED |
                                                   flags_of_function(function, RETURNS_TO),
                                          .due = interlock_moment(when)};
    interlock_controlled_enqueue(request, NULL, SITE);
    return;
  }
  interlock_item *item = NULL;
  if (!interlock_marks.nested && is_wanted(item_kinds)) {
    item = make_delayed(when, queue, function, context, flags_of_function(function, RETURNS_TO),
                        RETURNS_TO, THIS_FRAME);
  }
  if (!item) return real(when, queue, context, function);
  interlock_publish_enqueue(item);
  interlock_marks.nested++;
  real(when, queue, item, interlock_run_item);
  interlock_marks.nested--;
}

#endif
