#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "marks.h"

int c_map_file_that_is_gone(void) {
  char path[] = "/tmp/interlock-gone-XXXXXX";
  int file = mkstemp(path);
  if (file < 0) return -1;
  unlink(path);
  if (ftruncate(file, 65536) != 0) return -1;
  void *mapped = mmap(NULL, 65536, PROT_READ, MAP_PRIVATE, file, 0);
  return mapped == MAP_FAILED ? -1 : ftruncate(file, 0);
}
