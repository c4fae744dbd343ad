#define IN_PRODUCTION 0
#include "marks.h"

#include "interlock.h"

void c_begin_write(const char *name) { BEGIN_LOCK(LOCK_NO_READWRITE, "%s", name); }
void c_end_write(const char *name) { END_LOCK(LOCK_NO_READWRITE, "%s", name); }
void c_begin_read_of(const char *kind, int number) {
  BEGIN_LOCK(LOCK_NO_WRITE, "%s.%d", kind, number);
}
void c_end_read_of(const char *kind, int number) { END_LOCK(LOCK_NO_WRITE, "%s.%d", kind, number); }
void c_begin_plain_read(void) { BEGIN_LOCK(LOCK_NO_WRITE, "c.plain"); }
void c_end_plain_read(void) { END_LOCK(LOCK_NO_WRITE, "c.plain"); }
void c_begin_synched_write(const char *name) {
  BEGIN_SYNCHED_LOCK(LOCK_NO_READWRITE, "%s", name);
}
