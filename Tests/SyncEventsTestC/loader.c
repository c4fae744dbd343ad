// Code that runs under the loader's lock.
#define _GNU_SOURCE
#include <link.h>

#include "sync_events_test.h"

static int call(struct dl_phdr_info *info, size_t size, void *body) {
  (void)info, (void)size;
  ((void (^)(void))body)();
  return 1;
}

int sync_events_in_loader_callback(void (^body)(void)) {
  return dl_iterate_phdr(call, (void *)body);
}
