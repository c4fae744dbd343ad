// Calls on files, which several threads may make: each is an operation on what a path names, and on
// the folder that it lies in.
#ifndef INTERLOCK_FILES_H
#define INTERLOCK_FILES_H

#include "calls.h"

#ifdef INTERLOCK_INTERPOSES

#include <sys/stat.h>
#include <sys/types.h>

/// Keys are hashes: these bits keep them apart from addresses, and from the keys of sections.
#define INTERLOCK_FILE_KEY_BITS ((uintptr_t)3 << 62)
/// The key of a file, by its identity.
uintptr_t interlock_file_key(const struct stat *) HIDDEN;
interlock_operation interlock_operation_on_file(interlock_operation_kind, uintptr_t key) HIDDEN;
/// Whether the call is the user's, or one of Foundation for the user.
bool interlock_is_file_choice(interlock_site) HIDDEN;

/// What a call does to the file that a path names.
typedef enum {
  /// Finds out whether there is one.
  INTERLOCK_FILE_LOOKED_UP,
  /// Reads what the file has besides its path: its size, its entries.
  INTERLOCK_FILE_READ,
  INTERLOCK_FILE_CHANGED,
  INTERLOCK_FILE_MADE,
  INTERLOCK_FILE_REMOVED,
} interlock_file_use;

/// A path, relative to the folder of a descriptor or to `AT_FDCWD`.
typedef struct {
  int folder;
  const char *path;
  /// Whether the call means the link itself, where the path names a symbolic link.
  bool is_link_itself;
} interlock_path;

/// A point of the calling thread before its call `name`; nothing if the thread is not explored.
void interlock_file_point(const char *name, interlock_file_use, interlock_path,
                          interlock_site) HIDDEN;
/// As above, of a call that also makes or replaces what a second path names. `use` is that of the
/// first one.
void interlock_file_pair_point(const char *name, interlock_file_use use, interlock_path,
                               interlock_path other, interlock_site) HIDDEN;
/// As above, of a call that opens a file with the flags of `open`. Returns true if it will make the
/// file.
bool interlock_file_open_point(const char *name, interlock_path, int flags, interlock_site) HIDDEN;
/// As above, of a call that reads or changes an open file, at a position that it gives if at any.
void interlock_descriptor_point(const char *name, int descriptor, bool changes,
                                interlock_site) HIDDEN;
/// As above, of a call at the position of the descriptor, which it moves.
void interlock_position_point(const char *name, int descriptor, bool changes,
                              interlock_site) HIDDEN;
/// As above, before a file's descriptor is closed.
void interlock_close_point(int descriptor, interlock_site) HIDDEN;
/// As above, before the entries of an open folder are read.
void interlock_listing_point(int descriptor, interlock_site) HIDDEN;
/// The call has opened this descriptor: its number may have been another file's.
void interlock_descriptor_was_opened(int descriptor) HIDDEN;
/// As above, of a call that reads a folder with all that is below it.
void interlock_tree_point(const char *name, interlock_site) HIDDEN;
/// As above, of a call whose effects are not known: the exploration claims no completeness.
void interlock_file_escape(const char *name, interlock_site) HIDDEN;
/// The number of the entry in this folder; `UINT32_MAX` if the execution has not used it.
uint32_t interlock_entry_number(dev_t device, ino_t folder, const char *name) HIDDEN;
/// The call has made this file: the system may have given it the number of one that was removed.
void interlock_file_was_made(interlock_path) HIDDEN;

#endif
#endif
