// The operations of calls on files. A path names an entry: the identity of its folder and the last
// component, so that two paths to one entry are one object. The file behind the entry is another
// object, by the file's identity: descriptors and hard links lead to it.
//
// A call also passes through the entry's folder, and may change the folder's list. Folders further
// up need no operation, because only an empty folder can be removed. If a folder is renamed, or if
// a path passes a symbolic link, the call has an operation on the object of all files.
#include "files.h"

#ifdef INTERLOCK_INTERPOSES

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "../../../CInterlockEvents/interpose.h"
#include "../../Engine/engine.h"

#define K(name) INTERLOCK_OPERATION_##name

/// The objects that a path leads to, as keys of the table of objects; 0 for none.
typedef struct {
  uintptr_t entry, folder, file;
  bool is_folder, passes_link;
  /// The last component, a part of the path's text.
  const char *name;
} found_path;

static const uintptr_t key_bits = INTERLOCK_FILE_KEY_BITS;
/// The key of the object of all files.
static const uintptr_t all_files = key_bits | 1;

static uintptr_t hash(uintptr_t hash, const void *bytes, size_t size) {
  for (size_t index = 0; index < size; index++) {
    hash = (hash ^ ((const unsigned char *)bytes)[index]) * 0x100000001b3ull;
  }
  return hash;
}

static uintptr_t identity_of(dev_t device, ino_t inode) {
  uintptr_t key = hash(0xcbf29ce484222325ull, &device, sizeof device);
  return hash(key, &inode, sizeof inode) | key_bits;
}

uintptr_t interlock_file_key(const struct stat *status) {
  return identity_of(status->st_dev, status->st_ino);
}

/// The key has the folder's number, not its identity: a new folder may get the identity of a
/// removed folder.
static uintptr_t entry_key(uint32_t folder, const char *name) {
  return hash(hash(0xcbf29ce484222325ull, &folder, sizeof folder), name, strlen(name)) | key_bits;
}

uint32_t interlock_entry_number(dev_t device, ino_t folder, const char *name) {
  uintptr_t key = identity_of(device, folder);
  const interlock_object *known = interlock_object_known((const void *)key);
  if (!known) return UINT32_MAX;
  known = interlock_object_known((const void *)entry_key(known->number, name));
  return known && known->number ? known->number : UINT32_MAX;
}

/// True for an invalid path: the call fails whatever other threads do.
static bool leads_nowhere(interlock_path path) {
  return !path.path || strnlen(path.path, PATH_MAX) == PATH_MAX;
}

/// Splits a path at its last component and ignores trailing slashes. `parent` gets the rest.
static const char *split(const char *path, char parent[PATH_MAX]) {
  size_t length = strlen(path);
  if (length >= PATH_MAX) length = PATH_MAX - 1;
  while (length > 1 && path[length - 1] == '/') length--;
  memcpy(parent, path, length);
  parent[length] = 0;
  char *slash = strrchr(parent, '/');
  const char *name = path + (slash ? slash - parent + 1 : 0);
  if (!slash) {
    snprintf(parent, PATH_MAX, ".");
  } else {
    slash[slash == parent] = 0;
  }
  return name;
}

/// Follows a path to the folder of its entry. If that folder is missing, follows the path to the
/// first missing folder.
static found_path follow(interlock_path asked) {
  char path[PATH_MAX], parent[PATH_MAX];
  found_path found = {.name = split(asked.path, parent)};
  struct stat status;
  snprintf(path, sizeof path, "%s", asked.path[0] ? asked.path : ".");
  while (fstatat(asked.folder, parent, &status, 0) != 0) {
    if (strcmp(parent, ".") == 0 || strcmp(parent, "/") == 0) return found;
    snprintf(path, sizeof path, "%s", parent);
    split(path, parent);
  }
  found.folder = interlock_file_key(&status);
  char unused[PATH_MAX];
  char name[NAME_MAX + 1];
  snprintf(name, sizeof name, "%s", split(path, unused));
  name[strcspn(name, "/")] = 0;
  found.entry = entry_key(interlock_object_at((const void *)found.folder)->number, name);
  if (fstatat(asked.folder, path, &status, AT_SYMLINK_NOFOLLOW) != 0) return found;
  if (S_ISLNK(status.st_mode) && !asked.is_link_itself) {
    found.passes_link = true;
    if (fstatat(asked.folder, path, &status, 0) != 0) return found;
  }
  found.file = interlock_file_key(&status);
  found.is_folder = S_ISDIR(status.st_mode);
  return found;
}

/// True for files that libraries read for themselves and that no thread changes.
static bool is_of_system(const char *path) {
  static const char *const folders[] = {"/proc/", "/sys/", "/dev/", "/etc/", "/usr/", "/lib/",
                                        "/lib64/"};
  // A file system in memory, in which users keep files.
  static const char in_memory[] = "/dev/shm/";
  if (strncmp(path, in_memory, strlen(in_memory)) == 0) return false;
  for (size_t index = 0; index < sizeof folders / sizeof *folders; index++) {
    if (strncmp(path, folders[index], strlen(folders[index])) == 0) return true;
  }
  return false;
}

/// True if the caller is a system library that keeps its own files, such as SQLite, and has locks
/// for them. Its calls are not choices; the result names the library.
static bool is_in_library(uintptr_t returns_to) {
  if (returns_to - interlock_own_code < interlock_own_code_size) return false;
  Dl_info info;
  if (!interlock_events_is_users(returns_to) || !dladdr((void *)returns_to, &info)) return false;
  const char *path = info.dli_fname;
  if (strncmp(path, "/usr/", 5) != 0 && strncmp(path, "/lib", 4) != 0) return false;
  const char *name = strrchr(path, '/') + 1;
  char text[64];
  snprintf(text, sizeof text, "the files of %s", name);
  interlock_escaped(text);
  return true;
}

/// True if the user's code makes the call, or Foundation makes it for the user's code.
bool interlock_is_file_choice(interlock_site site) {
  return interlock_is_controlled() && interlock_events_is_users(site.place) &&
         !interlock_is_dispatch(site.returns_to) && !interlock_is_concurrency(site.returns_to) &&
         !interlock_is_testing(site.returns_to) && !interlock_is_xctest(site.returns_to) &&
         !is_in_library(site.returns_to);
}

static found_path found_by(interlock_path path) {
  int error = errno;
  interlock_marks.hidden++;
  found_path found = follow(path);
  interlock_marks.hidden--;
  errno = error;
  return found;
}

interlock_operation interlock_operation_on_file(interlock_operation_kind kind, uintptr_t key) {
  uint32_t number = key ? interlock_object_at((const void *)key)->number : 0;
  return interlock_operation_of(number ? kind : K(UNKNOWN), number, 0);
}

static void did(interlock_operation_kind kind, uintptr_t key) {
  if (key) interlock_did(interlock_operation_on_file(kind, key));
}

/// Names the entry and the file behind a path for reports; they are two objects.
static void name_object(uintptr_t key, const char *words, const char *name) {
  if (!key || !interlock_the_engine.options.follows_callers) return;
  interlock_object *object = interlock_object_at((const void *)key);
  if (object->name) return;
  enum { size = 60, longest = 44 };
  char *text = interlock_execution_memory(size);
  snprintf(text, size, "%s '%.*s'", words, longest, name);
  object->name = text;
}
static void name_entry(const found_path *found) { name_object(found->entry, "path", found->name); }
static void name_file(const found_path *found) {
  name_object(found->file, "contents of", found->name);
}

static interlock_operation_kind kind_of(interlock_file_use use) {
  bool changes = use == INTERLOCK_FILE_MADE || use == INTERLOCK_FILE_REMOVED;
  return changes ? K(FILE_CHANGE) : K(FILE_READ);
}

/// Adds the effects that a call has besides its operation on the entry.
static void did_the_rest(interlock_file_use use, const found_path *found) {
  bool changes_folder = kind_of(use) == K(FILE_CHANGE);
  did(changes_folder ? K(FOLDER_CHANGE) : K(FOLDER_PASS), found->folder);
  did(changes_folder ? K(FOLDER_CHANGE) : K(FOLDER_PASS), all_files);
  if (found->passes_link) did(K(FILE_READ), all_files);
  if (use == INTERLOCK_FILE_READ) did(K(FILE_READ), found->file);
  // The removal of an entry changes the file's count of names.
  bool changes_file = use == INTERLOCK_FILE_CHANGED || use == INTERLOCK_FILE_REMOVED;
  if (changes_file) did(K(FILE_CHANGE), found->file);
}

/// Reaches the call's point. Returns the objects that the path leads to when the call is performed.
static found_path reach(const char *name, interlock_file_use use, interlock_path path,
                        interlock_site site) {
  found_path before = found_by(path);
  name_entry(&before);
  interlock_name_call(name);
  interlock_point(interlock_operation_on_file(kind_of(use), before.entry), NULL, NULL, site.place);
  found_path now = found_by(path);
  if (now.entry != before.entry) {
    interlock_turned_out(interlock_operation_on_file(kind_of(use), now.entry));
  }
  name_file(&now);
  return now;
}

void interlock_file_point(const char *name, interlock_file_use use, interlock_path path,
                          interlock_site site) {
  if (!interlock_is_file_choice(site) || leads_nowhere(path) || is_of_system(path.path)) return;
  found_path found = reach(name, use, path, site);
  did_the_rest(use, &found);
}

void interlock_file_pair_point(const char *name, interlock_file_use use, interlock_path path,
                               interlock_path other, interlock_site site) {
  if (!interlock_is_file_choice(site) || leads_nowhere(path) || leads_nowhere(other)) return;
  found_path found = reach(name, use, path, site), second = found_by(other);
  did_the_rest(use, &found);
  name_entry(&second);
  did(K(FILE_CHANGE), second.entry);
  did_the_rest(INTERLOCK_FILE_MADE, &second);
  // A link adds a name to the file; a file whose entry is replaced loses a name.
  did(K(FILE_CHANGE), found.file);
  did(K(FILE_CHANGE), second.file);
  // A folder was renamed or replaced: all paths through it change.
  if (found.is_folder || second.is_folder) did(K(FILE_CHANGE), all_files);
}

bool interlock_file_open_point(const char *name, interlock_path path, int flags,
                               interlock_site site) {
  if (!interlock_is_file_choice(site) || leads_nowhere(path) || is_of_system(path.path)) {
    return false;
  }
  path.is_link_itself = flags & O_NOFOLLOW;
  interlock_file_use use = flags & O_CREAT ? INTERLOCK_FILE_MADE : INTERLOCK_FILE_LOOKED_UP;
  found_path found = reach(name, use, path, site);
  did_the_rest(use, &found);
  if (flags & O_TRUNC) did(K(FILE_CHANGE), found.file);
  return use == INTERLOCK_FILE_MADE && !found.file;
}

void interlock_tree_point(const char *name, interlock_site site) {
  if (!interlock_is_file_choice(site)) return;
  interlock_name_call(name);
  interlock_point(interlock_operation_on_file(K(FILE_READ), all_files), NULL, NULL, site.place);
}

void interlock_file_escape(const char *name, interlock_site site) {
  if (interlock_is_file_choice(site)) interlock_escaped(name);
}

void interlock_file_was_made(interlock_path path) {
  if (!interlock_is_controlled()) return;
  found_path found = found_by(path);
  if (!found.file) return;
  interlock_object_forget((const void *)found.file);
  name_file(&found);
}

#endif
