// Gives this process its own folder for temporary files. Removes the folder at exit, with all files
// that the tests of the process and of its children have left there.
#define _GNU_SOURCE
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[PATH_MAX];
static pid_t owner;

static int remove_entry(const char *path, const struct stat *state, int kind, struct FTW *place) {
  (void)state, (void)kind, (void)place;
  // Continues if the removal fails: another process may have removed the entry.
  remove(path);
  return 0;
}

static void remove_folder(void) {
  enum { most_open = 16 };
  // A forked child runs this too.
  if (getpid() == owner) nftw(folder, remove_entry, most_open, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

__attribute__((constructor)) static void make_folder(void) {
  const char *parent = getenv("TMPDIR");
  if (!parent || !*parent) parent = "/tmp";
  int length = snprintf(folder, sizeof folder, "%s/interlock-tests-XXXXXX", parent);
  // Without a folder, temporary files go to their usual place.
  if (length < 0 || (size_t)length >= sizeof folder || !mkdtemp(folder)) return;
  owner = getpid();
  setenv("TMPDIR", folder, 1);
  atexit(remove_folder);
}
