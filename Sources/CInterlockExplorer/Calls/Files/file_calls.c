// The interposed calls on files. Calls that may wait for a pipe or a socket, such as 'read', are
// interposed among the events and call the performer's `use_file`. Calls that list folders are in
// listings.c.
//
// 'fcntl.h' is not included: it declares 'open' as variadic, and this file interposes 'open' with
// three arguments.
#include "files.h"

#ifdef INTERLOCK_INTERPOSES

#include <dirent.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "../../../CInterlockEvents/interpose.h"

#define ONLY_CONTROL 0u
/// The constants of 'fcntl.h'.
enum { here = -100, makes = 0100, truncates = 01000, link_itself = 0x100,
       follows = 0x400 };

#define PATH(folder, path, is_link_itself) ((interlock_path){folder, path, is_link_itself})

/// A call on the file that a path names.
#define ON_PATH(type, name, parameters, arguments, use, path)                            \
  INTERPOSED_FAST(type, name, ONLY_CONTROL, parameters, arguments) {                     \
    interlock_file_point(#name, INTERLOCK_FILE_##use, path, THIS_SITE);                  \
    return FOUND(name) arguments;                                                        \
  }
/// A call that makes a file, and has succeeded if its result is not negative.
#define MAKING(name, parameters, arguments, path)                                        \
  INTERPOSED_FAST(int, name, ONLY_CONTROL, parameters, arguments) {                      \
    interlock_file_point(#name, INTERLOCK_FILE_MADE, path, THIS_SITE);                   \
    int result = FOUND(name) arguments;                                                  \
    if (result >= 0) interlock_file_was_made(path);                                      \
    return result;                                                                       \
  }
/// A call that opens a file, and may make it.
#define OPENING(name, parameters, arguments, path, flags)                                \
  INTERPOSED_FAST(int, name, ONLY_CONTROL, parameters, arguments) {                      \
    bool is_new = interlock_file_open_point(#name, path, flags, THIS_SITE);              \
    int result = FOUND(name) arguments;                                                  \
    if (result < 0) return result;                                                       \
    if (is_new) interlock_file_was_made(path);                                           \
    interlock_descriptor_was_opened(result);                                             \
    return result;                                                                       \
  }
#define ON_TWO_PATHS(name, parameters, arguments, use, path, other)                      \
  INTERPOSED_FAST(int, name, ONLY_CONTROL, parameters, arguments) {                      \
    interlock_file_pair_point(#name, INTERLOCK_FILE_##use, path, other, THIS_SITE);      \
    return FOUND(name) arguments;                                                        \
  }
/// A call on an open file.
#define ON_DESCRIPTOR(type, name, parameters, arguments, changes)                        \
  INTERPOSED_FAST(type, name, ONLY_CONTROL, parameters, arguments) {                     \
    interlock_descriptor_point(#name, file, changes, THIS_SITE);                         \
    return FOUND(name) arguments;                                                        \
  }
/// A call that is performed without control.
#define ESCAPES(type, name, parameters, arguments)                                       \
  INTERPOSED_FAST(type, name, ONLY_CONTROL, parameters, arguments) {                     \
    interlock_file_escape(#name, THIS_SITE);                                             \
    return FOUND(name) arguments;                                                        \
  }

OPENING(open, (const char *path, int flags, mode_t mode), (path, flags, mode),
        PATH(here, path, false), flags)
OPENING(open64, (const char *path, int flags, mode_t mode), (path, flags, mode),
        PATH(here, path, false), flags)
OPENING(openat, (int folder, const char *path, int flags, mode_t mode),
        (folder, path, flags, mode), PATH(folder, path, false), flags)
OPENING(openat64, (int folder, const char *path, int flags, mode_t mode),
        (folder, path, flags, mode), PATH(folder, path, false), flags)
OPENING(creat, (const char *path, mode_t mode), (path, mode), PATH(here, path, false),
        makes | truncates)

#define LOOKING_UP(type, name, parameters, arguments, path) \
  ON_PATH(type, name, parameters, arguments, LOOKED_UP, path)
LOOKING_UP(int, access, (const char *path, int mode), (path, mode), PATH(here, path, false))
LOOKING_UP(int, faccessat, (int folder, const char *path, int mode, int flags),
           (folder, path, mode, flags), PATH(folder, path, flags & link_itself))
LOOKING_UP(ssize_t, readlink, (const char *path, char *text, size_t size), (path, text, size),
           PATH(here, path, true))
LOOKING_UP(ssize_t, readlinkat, (int folder, const char *path, char *text, size_t size),
           (folder, path, text, size), PATH(folder, path, true))
LOOKING_UP(char *, realpath, (const char *path, char *result), (path, result),
           PATH(here, path, false))

#define READING(type, name, parameters, arguments, path) \
  ON_PATH(type, name, parameters, arguments, READ, path)
READING(int, stat, (const char *path, struct stat *status), (path, status),
        PATH(here, path, false))
READING(int, lstat, (const char *path, struct stat *status), (path, status),
        PATH(here, path, true))
READING(int, fstatat, (int folder, const char *path, struct stat *status, int flags),
        (folder, path, status, flags), PATH(folder, path, flags & link_itself))
READING(int, stat64, (const char *path, struct stat64 *status), (path, status),
        PATH(here, path, false))
READING(int, lstat64, (const char *path, struct stat64 *status), (path, status),
        PATH(here, path, true))
READING(int, statx,
        (int folder, const char *path, int flags, unsigned mask, struct statx *status),
        (folder, path, flags, mask, status), PATH(folder, path, flags & link_itself))
READING(DIR *, opendir, (const char *path), (path), PATH(here, path, false))
READING(ssize_t, getxattr, (const char *path, const char *name, void *value, size_t size),
        (path, name, value, size), PATH(here, path, false))

#define CHANGING(name, parameters, arguments, path) \
  ON_PATH(int, name, parameters, arguments, CHANGED, path)
CHANGING(truncate, (const char *path, off_t size), (path, size), PATH(here, path, false))
CHANGING(chmod, (const char *path, mode_t mode), (path, mode), PATH(here, path, false))
CHANGING(chown, (const char *path, uid_t user, gid_t group), (path, user, group),
         PATH(here, path, false))
CHANGING(utimes, (const char *path, const struct timeval times[2]), (path, times),
         PATH(here, path, false))
CHANGING(utimensat, (int folder, const char *path, const struct timespec times[2], int flags),
         (folder, path, times, flags), PATH(folder, path, flags & link_itself))
CHANGING(setxattr, (const char *path, const char *name, const void *value, size_t size, int flags),
         (path, name, value, size, flags), PATH(here, path, false))

CHANGING(lchown, (const char *path, uid_t user, gid_t group), (path, user, group),
         PATH(here, path, true))
CHANGING(fchownat, (int folder, const char *path, uid_t user, gid_t group, int flags),
         (folder, path, user, group, flags), PATH(folder, path, flags & link_itself))
CHANGING(fchmodat, (int folder, const char *path, mode_t mode, int flags),
         (folder, path, mode, flags), PATH(folder, path, flags & link_itself))
CHANGING(removexattr, (const char *path, const char *name), (path, name), PATH(here, path, false))

MAKING(mkdir, (const char *path, mode_t mode), (path, mode), PATH(here, path, true))
MAKING(mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode),
       PATH(folder, path, true))
MAKING(symlink, (const char *target, const char *path), (target, path), PATH(here, path, true))
MAKING(symlinkat, (const char *target, int folder, const char *path), (target, folder, path),
       PATH(folder, path, true))
MAKING(mkfifo, (const char *path, mode_t mode), (path, mode), PATH(here, path, true))
MAKING(mkfifoat, (int folder, const char *path, mode_t mode), (folder, path, mode),
       PATH(folder, path, true))
/// A call that makes and opens a file whose name the call chooses.
#define MAKING_OPEN(name, parameters, arguments)                                         \
  INTERPOSED_FAST(int, name, ONLY_CONTROL, parameters, arguments) {                      \
    interlock_file_point(#name, INTERLOCK_FILE_MADE, PATH(here, path, true), THIS_SITE); \
    int result = FOUND(name) arguments;                                                  \
    if (result < 0) return result;                                                       \
    interlock_file_was_made(PATH(here, path, true));                                     \
    interlock_descriptor_was_opened(result);                                             \
    return result;                                                                       \
  }
MAKING_OPEN(mkstemp, (char *path), (path))
MAKING_OPEN(mkstemp64, (char *path), (path))
MAKING_OPEN(mkostemp, (char *path, int flags), (path, flags))
INTERPOSED_FAST(char *, mkdtemp, ONLY_CONTROL, (char *path), (path)) {
  interlock_file_point("mkdtemp", INTERLOCK_FILE_MADE, PATH(here, path, true), THIS_SITE);
  char *made = FOUND(mkdtemp)(path);
  if (made) interlock_file_was_made(PATH(here, path, true));
  return made;
}

#define REMOVING(name, parameters, arguments, path) \
  ON_PATH(int, name, parameters, arguments, REMOVED, path)
REMOVING(unlink, (const char *path), (path), PATH(here, path, true))
REMOVING(unlinkat, (int folder, const char *path, int flags), (folder, path, flags),
         PATH(folder, path, true))
REMOVING(rmdir, (const char *path), (path), PATH(here, path, true))
REMOVING(remove, (const char *path), (path), PATH(here, path, true))

ON_TWO_PATHS(rename, (const char *path, const char *other), (path, other), REMOVED,
             PATH(here, path, true), PATH(here, other, true))
ON_TWO_PATHS(renameat, (int folder, const char *path, int second, const char *other),
             (folder, path, second, other), REMOVED, PATH(folder, path, true),
             PATH(second, other, true))
ON_TWO_PATHS(renameat2,
             (int folder, const char *path, int second, const char *other, unsigned flags),
             (folder, path, second, other, flags), REMOVED, PATH(folder, path, true),
             PATH(second, other, true))
ON_TWO_PATHS(link, (const char *path, const char *other), (path, other), LOOKED_UP,
             PATH(here, path, true), PATH(here, other, true))

ON_TWO_PATHS(linkat, (int folder, const char *path, int second, const char *other, int flags),
             (folder, path, second, other, flags), LOOKED_UP,
             PATH(folder, path, !(flags & follows)), PATH(second, other, true))

ON_DESCRIPTOR(ssize_t, pread, (int file, void *bytes, size_t size, off_t at),
              (file, bytes, size, at), false)
ON_DESCRIPTOR(ssize_t, pread64, (int file, void *bytes, size_t size, off64_t at),
              (file, bytes, size, at), false)
ON_DESCRIPTOR(int, fstat, (int file, struct stat *status), (file, status), false)
ON_DESCRIPTOR(int, fstat64, (int file, struct stat64 *status), (file, status), false)
ON_DESCRIPTOR(ssize_t, pwrite, (int file, const void *bytes, size_t size, off_t at),
              (file, bytes, size, at), true)
ON_DESCRIPTOR(ssize_t, pwrite64, (int file, const void *bytes, size_t size, off64_t at),
              (file, bytes, size, at), true)
ON_DESCRIPTOR(ssize_t, preadv, (int file, const struct iovec *buffers, int count, off_t at),
              (file, buffers, count, at), false)
ON_DESCRIPTOR(ssize_t, pwritev, (int file, const struct iovec *buffers, int count, off_t at),
              (file, buffers, count, at), true)
ON_DESCRIPTOR(int, fchown, (int file, uid_t user, gid_t group), (file, user, group), true)
ON_DESCRIPTOR(int, fsetxattr,
              (int file, const char *name, const void *value, size_t size, int flags),
              (file, name, value, size, flags), true)
ON_DESCRIPTOR(int, fremovexattr, (int file, const char *name), (file, name), true)
ON_DESCRIPTOR(ssize_t, fgetxattr, (int file, const char *name, void *value, size_t size),
              (file, name, value, size), false)
/// A call that copies from one open file to another.
#define COPYING(name, parameters, arguments)                                             \
  INTERPOSED_FAST(ssize_t, name, ONLY_CONTROL, parameters, arguments) {                  \
    interlock_transfer_point(#name, from, to, THIS_SITE);                                \
    return FOUND(name) arguments;                                                        \
  }
COPYING(sendfile, (int to, int from, off_t *at, size_t size), (to, from, at, size))
COPYING(sendfile64, (int to, int from, off64_t *at, size_t size), (to, from, at, size))
COPYING(copy_file_range,
        (int from, off64_t *at, int to, off64_t *other_at, size_t size, unsigned flags),
        (from, at, to, other_at, size, flags))
ON_DESCRIPTOR(int, ftruncate, (int file, off_t size), (file, size), true)
ON_DESCRIPTOR(int, ftruncate64, (int file, off64_t size), (file, size), true)
ON_DESCRIPTOR(int, fchmod, (int file, mode_t mode), (file, mode), true)
ON_DESCRIPTOR(int, futimens, (int file, const struct timespec times[2]), (file, times), true)

#define MOVING(name, type)                                                               \
  INTERPOSED_FAST(type, name, ONLY_CONTROL, (int file, type distance, int from),         \
                  (file, distance, from)) {                                              \
    interlock_position_point(#name, file, false, THIS_SITE);                             \
    return FOUND(name)(file, distance, from);                                            \
  }
MOVING(lseek, off_t)
MOVING(lseek64, off64_t)

// Calls that the explorer does not control: file locks, which wait in the kernel; streams, whose
// reads and writes are not seen; calls that change what paths and descriptors mean.
ESCAPES(int, flock, (int file, int operation), (file, operation))
ESCAPES(int, lockf, (int file, int command, off_t size), (file, command, size))
ESCAPES(FILE *, fopen, (const char *path, const char *mode), (path, mode))
ESCAPES(FILE *, fopen64, (const char *path, const char *mode), (path, mode))
ESCAPES(FILE *, fdopen, (int file, const char *mode), (file, mode))
ESCAPES(int, chdir, (const char *path), (path))
ESCAPES(int, fchdir, (int file), (file))
ESCAPES(int, glob,
        (const char *pattern, int flags, int (*fails)(const char *, int), glob_t *found),
        (pattern, flags, fails, found))
ESCAPES(int, scandir,
        (const char *path, struct dirent ***found, int (*is_wanted)(const struct dirent *),
         int (*order)(const struct dirent **, const struct dirent **)),
        (path, found, is_wanted, order))
ESCAPES(int, nftw,
        (const char *path, int (*visit)(const char *, const struct stat *, int, struct FTW *),
         int most, int flags),
        (path, visit, most, flags))
ESCAPES(int, dup, (int file), (file))
ESCAPES(int, dup2, (int file, int other), (file, other))
ESCAPES(int, dup3, (int file, int other, int flags), (file, other, flags))

/// True for an 'fcntl' command that makes another descriptor, or locks a part of a file.
static bool escapes(int command) {
  // The constants of 'fcntl.h'.
  enum { duplicate = 0, lock = 6, wait_and_lock = 7, lock_of_file = 37, wait_of_file = 38 };
  enum { duplicate_and_close = 1030 };
  return command == duplicate || command == duplicate_and_close || command == lock ||
         command == wait_and_lock || command == lock_of_file || command == wait_of_file;
}
#define COMMANDING(name)                                                                 \
  INTERPOSED_FAST(int, name, ONLY_CONTROL, (int file, int command, long argument),       \
                  (file, command, argument)) {                                           \
    if (escapes(command)) interlock_file_escape(#name, THIS_SITE);                       \
    return FOUND(name)(file, command, argument);                                         \
  }
COMMANDING(fcntl)
COMMANDING(fcntl64)

/// A signal handler or the child of a fork may make these calls. Look the real functions up at
/// process start, when no thread holds the loader's lock.
__attribute__((constructor(101))) static void find_calls(void) {
#define FIND(name) \
  __atomic_store_n(&real_##name, (name##_call *)interlock_find_real(#name), __ATOMIC_RELAXED)
  FIND(fcntl), FIND(fcntl64);
  FIND(open), FIND(open64), FIND(openat), FIND(access), FIND(readlink), FIND(stat), FIND(lstat);
  FIND(fstat), FIND(mkdir), FIND(rmdir), FIND(unlink), FIND(rename), FIND(ftruncate);
}

#endif
