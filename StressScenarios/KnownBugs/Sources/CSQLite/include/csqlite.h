// The few calls of SQLite that the package makes, loaded from the system's library at run time.
//
// Not linked, because the package must also build, without a warning, on a machine that lacks the
// header or the library; and a build's cache keeps what a manifest or the preprocessor found when
// SQLite is installed later. In C because the compiler then checks the types against SQLite's own
// header, if there is one.

#ifndef CSQLITE_H
#define CSQLITE_H

#pragma clang assume_nonnull begin

struct sqlite3;
struct sqlite3_stmt;

/// The result codes and flags that the package uses.
enum {
  csqlite_busy = 5,
  csqlite_locked = 6,
  csqlite_row = 100,
  csqlite_done = 101,
  csqlite_open_read_write = 0x2,
  csqlite_open_create = 0x4,
  csqlite_open_no_mutex = 0x8000,
};

/// SQLite's functions, by their names without the prefix.
struct csqlite_library {
  int (*open_v2)(
      const char *path, struct sqlite3 *_Nullable *_Nonnull database, int flags,
      const char *_Nullable vfs);
  int (*close)(struct sqlite3 *_Nullable);
  int (*exec)(
      struct sqlite3 *, const char *sql,
      int (*_Nullable row)(
          void *_Nullable, int, char *_Nullable *_Nonnull, char *_Nullable *_Nonnull),
      void *_Nullable context, char *_Nullable *_Nullable message);
  int (*prepare_v2)(
      struct sqlite3 *, const char *sql, int length,
      struct sqlite3_stmt *_Nullable *_Nonnull statement, const char *_Nullable *_Nullable rest);
  int (*step)(struct sqlite3_stmt *);
  int (*reset)(struct sqlite3_stmt *_Nullable);
  int (*finalize)(struct sqlite3_stmt *_Nullable);
  int (*bind_blob)(
      struct sqlite3_stmt *, int index, const void *_Nullable, int length,
      void (*_Nullable destroy)(void *_Nullable));
  int (*bind_text)(
      struct sqlite3_stmt *, int index, const char *_Nullable, int length,
      void (*_Nullable destroy)(void *_Nullable));
  int (*bind_int64)(struct sqlite3_stmt *, int index, long long);
  int (*bind_null)(struct sqlite3_stmt *, int index);
  const void *_Nullable (*_Nonnull column_blob)(struct sqlite3_stmt *, int column);
  const unsigned char *_Nullable (*_Nonnull column_text)(struct sqlite3_stmt *, int column);
  int (*column_bytes)(struct sqlite3_stmt *, int column);
  long long (*column_int64)(struct sqlite3_stmt *, int column);
  const char *_Nullable (*_Nonnull errmsg)(struct sqlite3 *_Nullable);
  int (*wal_checkpoint)(struct sqlite3 *, const char *_Nullable database);
};

/// Opens the library of this file name and finds all functions; `NULL` if one is missing.
///
/// The library is never closed, and the table never freed.
const struct csqlite_library *_Nullable csqlite_load(const char *name);

/// Binds a copy of bytes; Swift cannot express SQLITE_TRANSIENT, which requests the copy.
int csqlite_bind_blob(
    const struct csqlite_library *, struct sqlite3_stmt *, int index, const void *_Nullable,
    int length);

/// Binds a copy of UTF-8 text.
int csqlite_bind_text(
    const struct csqlite_library *, struct sqlite3_stmt *, int index, const char *_Nullable,
    int length);

#pragma clang assume_nonnull end

#endif
