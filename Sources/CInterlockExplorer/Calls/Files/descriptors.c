// The operations of calls on open files. A call acts on two objects: the contents of the file, and
// the descriptor (its position, and whether it is open).
#include "files.h"

#ifdef INTERLOCK_INTERPOSES

#include <sys/sysmacros.h>

#include "../../Engine/engine.h"

#define K(name) INTERLOCK_OPERATION_##name

typedef struct {
  /// The key of the contents; 0 for a device, and if no file is open.
  uintptr_t contents;
  /// Why a call on the file escapes control; NULL if it does not.
  const char *escape;
  bool is_device;
} open_file;

/// The key of the descriptor's object.
static uintptr_t description_key(int descriptor) {
  enum { first = 2 };
  return INTERLOCK_FILE_KEY_BITS | ((uintptr_t)descriptor + first);
}

static open_file look(int descriptor) {
  int error = errno;
  struct stat status;
  interlock_marks.hidden++;
  bool is_open = fstat(descriptor, &status) == 0;
  interlock_marks.hidden--;
  errno = error;
  if (!is_open) return (open_file){0};
  if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) {
    return (open_file){.contents = interlock_file_key(&status)};
  }
  if (S_ISFIFO(status.st_mode)) return (open_file){.escape = "a call on a pipe"};
  if (S_ISSOCK(status.st_mode)) return (open_file){.escape = "a call on a socket"};
  // The devices of memory, such as /dev/null and /dev/urandom, keep nothing.
  enum { of_memory = 1 };
  if (S_ISCHR(status.st_mode)) {
    bool keeps_nothing = major(status.st_rdev) == of_memory;
    return (open_file){.is_device = true, .escape = keeps_nothing ? NULL : "a call on a device"};
  }
  return (open_file){.escape = "a call on a descriptor without a file"};
}

static bool is_asked(int descriptor, interlock_site site) {
  enum { last_standard = 2 };
  return descriptor > last_standard && interlock_is_file_choice(site);
}

static void did(interlock_operation_kind kind, uintptr_t key) {
  interlock_did(interlock_operation_on_file(kind, key));
}

/// Reaches a point with an operation on the contents, or on the descriptor if no file is open.
static void reach(const char *name, int descriptor, bool changes, bool moves,
                  interlock_site site) {
  if (!is_asked(descriptor, site)) return;
  open_file file = look(descriptor);
  if (file.escape) interlock_escaped(file.escape);
  if (file.escape || file.is_device) return;
  interlock_operation_kind kind = changes ? K(FILE_CHANGE) : K(FILE_READ);
  uintptr_t key = file.contents ? file.contents : description_key(descriptor);
  interlock_name_call(name);
  interlock_point(interlock_operation_on_file(kind, key), NULL, NULL, site.place);
  // Another thread may have closed the descriptor and opened another file under its number.
  open_file now = look(descriptor);
  if (now.contents && now.contents != key) did(kind, now.contents);
  did(moves ? K(FILE_CHANGE) : K(FILE_READ), description_key(descriptor));
}

void interlock_descriptor_point(const char *name, int descriptor, bool changes,
                                interlock_site site) {
  reach(name, descriptor, changes, false, site);
}

void interlock_position_point(const char *name, int descriptor, bool changes,
                              interlock_site site) {
  reach(name, descriptor, changes, true, site);
}

void interlock_transfer_point(const char *name, int from, int to, interlock_site site) {
  reach(name, from, false, true, site);
  if (!is_asked(to, site)) return;
  open_file file = look(to);
  if (file.escape) interlock_escaped(file.escape);
  if (file.escape || file.is_device) return;
  if (file.contents) did(K(FILE_CHANGE), file.contents);
  did(K(FILE_CHANGE), description_key(to));
}

void interlock_close_point(int descriptor, interlock_site site) {
  if (!is_asked(descriptor, site)) return;
  open_file file = look(descriptor);
  if (file.escape || file.is_device) return;
  interlock_name_call("close");
  interlock_point(interlock_operation_on_file(K(FILE_CHANGE), description_key(descriptor)), NULL,
                  NULL, site.place);
}

void interlock_listing_point(int descriptor, interlock_site site) {
  if (!is_asked(descriptor, site)) return;
  interlock_name_call("readdir");
  interlock_point(interlock_operation_on_file(K(FILE_READ), look(descriptor).contents), NULL, NULL,
                  site.place);
}

void interlock_descriptor_was_opened(int descriptor) {
  if (!interlock_is_controlled()) return;
  interlock_object_forget((const void *)description_key(descriptor));
  did(K(FILE_CHANGE), description_key(descriptor));
}

#endif
