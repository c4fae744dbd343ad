// Points of calls on files. A call is an operation on the entry that a path names and on the folder
// of that entry. Included by the explorer only.
#ifndef INTERLOCK_FILES_H
#define INTERLOCK_FILES_H

#include "../calls.h"

#ifdef INTERLOCK_INTERPOSES

#include <sys/stat.h>
#include <sys/types.h>

/// Keys are hashes. These bits keep them apart from addresses and from the keys of sections.
#define INTERLOCK_FILE_KEY_BITS ((uintptr_t)3 << 62)
/// The key of a file, by its identity.
uintptr_t interlock_file_key(const struct stat *) HIDDEN;
interlock_operation interlock_operation_on_file(interlock_operation_kind, uintptr_t key) HIDDEN;
/// True if the user's code makes the call, or Foundation makes it for the user's code.
bool interlock_is_file_choice(interlock_site) HIDDEN;

/// What a call does to the file that a path names.
typedef enum {
  /// Finds out whether the file exists.
  INTERLOCK_FILE_LOOKED_UP,
  /// Reads the file's data other than its path: its size, its entries.
  INTERLOCK_FILE_READ,
  INTERLOCK_FILE_CHANGED,
  INTERLOCK_FILE_MADE,
  INTERLOCK_FILE_REMOVED,
} interlock_file_use;

/// A path, relative to the folder of a descriptor or to `AT_FDCWD`.
typedef struct {
  int folder;
  const char *path;
  /// True if the call acts on a symbolic link itself, where the path names one.
  bool is_link_itself;
} interlock_path;

/// Reaches a point before the calling thread's call `name`. Does nothing if the thread is not
/// explored. The functions below do the same for other calls.
void interlock_file_point(const char *name, interlock_file_use, interlock_path,
                          interlock_site) HIDDEN;
/// A point before a call that also makes or replaces the file at a second path. `use` is the use of
/// the first path.
void interlock_file_pair_point(const char *name, interlock_file_use use, interlock_path,
                               interlock_path other, interlock_site) HIDDEN;
/// A point before a call that opens a file with the flags of `open`. Returns true if the call will
/// make the file.
bool interlock_file_open_point(const char *name, interlock_path, int flags, interlock_site) HIDDEN;
/// A point before a call that reads or changes an open file without using the descriptor's
/// position.
void interlock_descriptor_point(const char *name, int descriptor, bool changes,
                                interlock_site) HIDDEN;
/// A point before a call that uses and moves the descriptor's position.
void interlock_position_point(const char *name, int descriptor, bool changes,
                              interlock_site) HIDDEN;
/// A point before a file's descriptor is closed.
/// A call that reads one open file and writes another, and moves the positions of both.
void interlock_transfer_point(const char *name, int from, int to, interlock_site site) HIDDEN;
void interlock_close_point(int descriptor, interlock_site) HIDDEN;
/// A point before the entries of an open folder are read.
void interlock_listing_point(int descriptor, interlock_site) HIDDEN;
/// Records that a call has opened this descriptor, whose number may have been another file's
/// before.
void interlock_descriptor_was_opened(int descriptor) HIDDEN;
/// A point before a call that reads a folder and everything below it.
void interlock_tree_point(const char *name, interlock_site) HIDDEN;
/// Records a call whose effects are not known: the exploration then claims no completeness.
void interlock_file_escape(const char *name, interlock_site) HIDDEN;
/// Returns the number of the entry in this folder; `UINT32_MAX` if the execution has not used the
/// entry.
uint32_t interlock_entry_number(dev_t device, ino_t folder, const char *name) HIDDEN;
/// Records that a call has made this file, to which the system may have given the identity of a
/// removed file.
void interlock_file_was_made(interlock_path) HIDDEN;

#endif
#endif
