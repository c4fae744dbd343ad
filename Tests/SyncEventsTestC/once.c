// `dispatch_once`, which Swift does not import.
#include <stdint.h>

#include "sync_events_test.h"

extern void dispatch_once(intptr_t *predicate, void (^block)(void));
extern void dispatch_once_f(intptr_t *predicate, void *context, void (*function)(void *));

void sync_events_once(sync_events_once_call call, intptr_t *predicate, void *context,
                      void (*function)(void *)) {
  if (call == SYNC_EVENTS_ONCE_FUNCTION) {
    dispatch_once_f(predicate, context, function);
  } else {
    dispatch_once(predicate, ^{
      function(context);
    });
  }
}
