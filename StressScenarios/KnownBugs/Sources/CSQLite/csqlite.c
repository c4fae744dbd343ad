#include "csqlite.h"

#include <dlfcn.h>
#include <stdlib.h>

// If SQLite's header exists, the compiler compares its declarations with those of this target.
// CSQLITE_WITHOUT_HEADER builds the case without the header on a machine that has it.
#if __has_include(<sqlite3.h>) && !defined(CSQLITE_WITHOUT_HEADER)
#include <sqlite3.h>

#define SAME_TYPE(function)                                                         \
  _Static_assert(                                                                   \
      __builtin_types_compatible_p(                                                 \
          __typeof__(&sqlite3_##function),                                          \
          __typeof__(((struct csqlite_library *)0)->function)),                     \
      "sqlite3_" #function " is declared otherwise in sqlite3.h")
SAME_TYPE(open_v2);
SAME_TYPE(close);
SAME_TYPE(exec);
SAME_TYPE(prepare_v2);
SAME_TYPE(step);
SAME_TYPE(reset);
SAME_TYPE(finalize);
SAME_TYPE(bind_blob);
SAME_TYPE(bind_text);
SAME_TYPE(bind_int64);
SAME_TYPE(bind_null);
SAME_TYPE(column_blob);
SAME_TYPE(column_text);
SAME_TYPE(column_bytes);
SAME_TYPE(column_int64);
SAME_TYPE(errmsg);
SAME_TYPE(wal_checkpoint);

_Static_assert(
    csqlite_busy == SQLITE_BUSY && csqlite_locked == SQLITE_LOCKED
        && csqlite_row == SQLITE_ROW && csqlite_done == SQLITE_DONE
        && csqlite_open_read_write == SQLITE_OPEN_READWRITE
        && csqlite_open_create == SQLITE_OPEN_CREATE
        && csqlite_open_no_mutex == SQLITE_OPEN_NOMUTEX,
    "a constant is another one in sqlite3.h");
#endif

// Copies a function pointer as bytes, because ISO C has no conversion from the result of dlsym.
#define FIND(function)                                       \
  do {                                                       \
    void *symbol = dlsym(handle, "sqlite3_" #function);      \
    if (!symbol) goto missing;                               \
    *(void **)(void *)&library->function = symbol;           \
  } while (0)

const struct csqlite_library *csqlite_load(const char *name) {
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return NULL;
  struct csqlite_library *library = calloc(1, sizeof *library);
  if (!library) goto missing;
  FIND(open_v2);
  FIND(close);
  FIND(exec);
  FIND(prepare_v2);
  FIND(step);
  FIND(reset);
  FIND(finalize);
  FIND(bind_blob);
  FIND(bind_text);
  FIND(bind_int64);
  FIND(bind_null);
  FIND(column_blob);
  FIND(column_text);
  FIND(column_bytes);
  FIND(column_int64);
  FIND(errmsg);
  FIND(wal_checkpoint);
  return library;
missing:
  free(library);
  dlclose(handle);
  return NULL;
}

// SQLITE_TRANSIENT.
#define COPY_IT ((void (*)(void *))-1)

int csqlite_bind_blob(
    const struct csqlite_library *library, struct sqlite3_stmt *statement, int index,
    const void *bytes, int length) {
  return library->bind_blob(statement, index, bytes, length, COPY_IT);
}

int csqlite_bind_text(
    const struct csqlite_library *library, struct sqlite3_stmt *statement, int index,
    const char *text, int length) {
  return library->bind_text(statement, index, text, length, COPY_IT);
}
