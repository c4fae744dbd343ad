// Blocks handed to a queue with a delay.
#include "controlled_dispatch.h"
#include "../Code/layouts.h"
#include "../Lives/task_lives.h"

#ifdef INTERLOCK_INTERPOSES

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
