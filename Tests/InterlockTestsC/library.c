#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#include "marks.h"

unsigned long c_address_in_header_of_library(void) {
  Dl_info library;
  return dladdr((void *)abort, &library) ? (unsigned long)library.dli_fbase + 32 : 0;
}
