#include "csqlite.h"

#include <dlfcn.h>
#include <stdlib.h>

// The functions of struct csqlite_library.
#define FUNCTIONS(X) \
  X(open_v2) X(close) X(exec) X(prepare_v2) X(step) X(reset) X(finalize) X(bind_blob) \
  X(bind_text) X(bind_int64) X(bind_null) X(column_blob) X(column_text) X(column_bytes) \
  X(column_int64) X(errmsg) X(wal_checkpoint)

// If SQLite's header exists, the compiler compares its declarations with those of this target.
// CSQLITE_WITHOUT_HEADER builds the case without the header on a machine that has it.
#if __has_include(<sqlite3.h>) && !defined(CSQLITE_WITHOUT_HEADER)
#include <sqlite3.h>

#define SAME_TYPE(function)                                                         \
  _Static_assert(                                                                   \
      __builtin_types_compatible_p(                                                 \
          __typeof__(&sqlite3_##function),                                          \
          __typeof__(((struct csqlite_library *)0)->function)),                     \
      "sqlite3_" #function " is declared otherwise in sqlite3.h");
FUNCTIONS(SAME_TYPE)

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
  {                                                          \
    void *symbol = dlsym(handle, "sqlite3_" #function);      \
    if (!symbol) goto missing;                               \
    *(void **)(void *)&library->function = symbol;           \
  }

const struct csqlite_library *csqlite_load(const char *name) {
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return NULL;
  struct csqlite_library *library = calloc(1, sizeof *library);
  if (!library) goto missing;
  FUNCTIONS(FIND)
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
