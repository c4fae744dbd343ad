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

void c_begin_part_write(const char *part, const char *name) {
  BEGIN_LOCK_PART(LOCK_NO_READWRITE, part, "%s", name);
}
void c_end_part_write(const char *part, const char *name) {
  END_LOCK_PART(LOCK_NO_READWRITE, part, "%s", name);
}
void c_begin_synched_part_write(const char *part) {
  BEGIN_SYNCHED_LOCK_PART(LOCK_NO_READWRITE, part, "c.parts.plain");
}
void c_end_plain_part_write(const char *part) {
  END_LOCK_PART(LOCK_NO_READWRITE, part, "c.parts.plain");
}

static int unmarked_value;

// Atomic, so that only a witness sees the change, and the behaviour is defined.
int c_unmarked_value(void) { return __atomic_load_n(&unmarked_value, __ATOMIC_RELAXED); }
void c_change_unmarked_value(void) { __atomic_fetch_add(&unmarked_value, 1, __ATOMIC_RELAXED); }
