// Lists the entries of a folder in an order that is the same in each execution. The file system's
// own order depends on the names, and names of temporary files are random. Entries that the
// execution has used come first, in the order of their first use, and then the others by name.
#include "files.h"

#ifdef INTERLOCK_INTERPOSES

#include <dirent.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../../CInterlockEvents/interpose.h"
#include "../../Engine/engine.h"

#define ONLY_CONTROL 0u

/// The entries of an open folder, read at once and kept in the memory of the execution.
typedef struct listing {
  struct listing *next;
  DIR *folder;
  struct dirent **entries;
  size_t count, given;
} listing;
static listing *first_listing;

static void forget_all(void) { first_listing = NULL; }

static listing *listing_of(DIR *folder) {
  for (listing *known = first_listing; known; known = known->next) {
    if (known->folder == folder) return known;
  }
  return NULL;
}

static void forget(DIR *folder) {
  listing *known = listing_of(folder);
  if (known) known->folder = NULL;
}

static int by_number(uint32_t one, uint32_t other, const char *name, const char *other_name) {
  if (one != other) return one < other ? -1 : 1;
  return strcmp(name, other_name);
}

typedef struct {
  uint32_t number;
  struct dirent *entry;
} numbered;

static int compare_numbered(const void *one, const void *other) {
  const numbered *a = one, *b = other;
  return by_number(a->number, b->number, a->entry->d_name, b->entry->d_name);
}

typedef struct dirent *read_call(DIR *);

/// Reads the whole folder. The caller hides the thread.
static listing *read_all(DIR *folder, read_call *real) {
  interlock_at_execution_begin(forget_all);
  struct stat status = {0};
  fstat(dirfd(folder), &status);
  numbered *all = NULL;
  size_t count = 0, capacity = 0;
  for (struct dirent *entry; (entry = real(folder)); count++) {
    if (count == capacity) {
      capacity = capacity ? capacity * 2 : 64;
      numbered *larger = realloc(all, capacity * sizeof *all);
      if (!larger) break;
      all = larger;
    }
    struct dirent *copy = interlock_execution_memory(entry->d_reclen);
    memcpy(copy, entry, entry->d_reclen);
    uint32_t number = interlock_entry_number(status.st_dev, status.st_ino, entry->d_name);
    all[count] = (numbered){number, copy};
  }
  if (count) qsort(all, count, sizeof *all, compare_numbered);
  listing *made = interlock_execution_memory(sizeof *made);
  made->folder = folder;
  made->count = count;
  made->entries = interlock_execution_memory((count + 1) * sizeof *made->entries);
  for (size_t index = 0; index < count; index++) made->entries[index] = all[index].entry;
  free(all);
  made->next = first_listing;
  first_listing = made;
  return made;
}

static struct dirent *next_entry(DIR *folder, read_call *real, interlock_site site) {
  listing *known = listing_of(folder);
  if (!known) {
    interlock_listing_point(dirfd(folder), site);
    interlock_marks.hidden++;
    known = read_all(folder, real);
    interlock_marks.hidden--;
  }
  return known->given < known->count ? known->entries[known->given++] : NULL;
}

INTERPOSED_FAST(struct dirent *, readdir, ONLY_CONTROL, (DIR *folder), (folder)) {
  if (!interlock_is_controlled()) return FOUND(readdir)(folder);
  return next_entry(folder, FOUND(readdir), THIS_SITE);
}

// On this platform `dirent` and `dirent64` have the same layout.
_Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "one layout of entries");

INTERPOSED_FAST(struct dirent64 *, readdir64, ONLY_CONTROL, (DIR *folder), (folder)) {
  if (!interlock_is_controlled()) return FOUND(readdir64)(folder);
  return (struct dirent64 *)next_entry(folder, (read_call *)FOUND(readdir64), THIS_SITE);
}

INTERPOSED_FAST(int, closedir, ONLY_CONTROL, (DIR *folder), (folder)) {
  if (interlock_is_controlled()) forget(folder);
  return FOUND(closedir)(folder);
}

INTERPOSED_FAST(void, rewinddir, ONLY_CONTROL, (DIR *folder), (folder)) {
  if (interlock_is_controlled()) forget(folder);
  FOUND(rewinddir)(folder);
}

static uint32_t number_in_tree(const FTSENT *entry) {
  const FTSENT *parent = entry->fts_parent;
  return interlock_entry_number(parent->fts_dev, parent->fts_ino, entry->fts_name);
}

static int compare_in_tree(const FTSENT **one, const FTSENT **other) {
  return by_number(number_in_tree(*one), number_in_tree(*other), (*one)->fts_name,
                   (*other)->fts_name);
}

typedef int compare_entries(const FTSENT **, const FTSENT **);

INTERPOSED_FAST(FTS *, fts_open, ONLY_CONTROL,
                (char *const *paths, int options, compare_entries *compare),
                (paths, options, compare)) {
  bool is_ordered = compare || !interlock_is_controlled();
  return FOUND(fts_open)(paths, options, is_ordered ? compare : compare_in_tree);
}

INTERPOSED_FAST(FTSENT *, fts_read, ONLY_CONTROL, (FTS *tree), (tree)) {
  interlock_tree_point("fts_read", THIS_SITE);
  return FOUND(fts_read)(tree);
}

#endif
