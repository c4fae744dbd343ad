// The table of section lines. Lines stay in it for the life of the process, so that places stay
// valid between explorations.
#include "section_lines.h"

#include "../include/interlock_explorer.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

enum { most_lines = 4096, place_bits = 48, longest_text = 256 };
/// The upper bits of a section's place, before the index: no address of a program has these bits.
static const uintptr_t mark = (uintptr_t)0x7ffe << place_bits;

/// A line with copies of its texts, because a library that only the child has loaded is not in the
/// parent's memory.
typedef struct {
  interlock_section_site site;
  char file[longest_text], function[longest_text];
} known_line;

// Needs no lock: only the carrier adds a line, and readers come after the carrier has returned.
typedef struct {
  known_line lines[most_lines];
  uint32_t count;
  /// A hash table of indexes into `lines`, plus 1.
  uint32_t slots[2 * most_lines];
} known_lines;

static known_lines own_lines;
static known_lines *known = &own_lines;

void interlock_share_section_lines(void) {
  if (known != &own_lines) return;
  known_lines *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (shared == MAP_FAILED) return;
  for (uint32_t index = 0; index < own_lines.count; index++) {
    shared->lines[index] = own_lines.lines[index];
  }
  memcpy(shared->slots, own_lines.slots, sizeof shared->slots);
  shared->count = own_lines.count;
  known = shared;
}

static bool is_same(const interlock_section_site *a, const interlock_section_site *b) {
  return a->file == b->file && a->function == b->function && a->line == b->line;
}

// Copies at most longest_text - 1 bytes; the last byte stays 0.
static void keep_text(char kept[longest_text], uintptr_t text, uint32_t length) {
  size_t most = length < longest_text ? length : longest_text - 1;
  if (text) memcpy(kept, (const char *)text, strnlen((const char *)text, most));
}

uintptr_t interlock_section_place(interlock_section_site site) {
  uint64_t hash = (site.file ^ site.function * 31 ^ site.line << 20) * 0x9e3779b97f4a7c15ull;
  size_t slot = (size_t)(hash >> 40) % (2 * most_lines);
  // The body may have written over the table: check its numbers, and bound the search.
  for (size_t tries = 0; tries < 2 * most_lines; tries++) {
    uint32_t index = known->slots[slot] - 1;
    if (index >= most_lines) break;
    if (is_same(&known->lines[index].site, &site)) return mark | index;
    slot = (slot + 1) % (2 * most_lines);
  }
  uint32_t count = known->count;
  if (count >= most_lines || known->slots[slot]) return 0;
  known_line *line = &known->lines[count];
  line->site = site;
  keep_text(line->file, site.file, (uint32_t)site.lengths);
  keep_text(line->function, site.function, (uint32_t)(site.lengths >> 32));
  known->slots[slot] = known->count = count + 1;
  return mark | count;
}

bool interlock_section_line_at(uintptr_t place, interlock_section_line *line) {
  if ((place & ~(uintptr_t)(most_lines - 1)) != mark) return false;
  uint32_t index = (uint32_t)(place & (most_lines - 1));
  if (index >= known->count) return false;
  static _Thread_local known_line found;
  found = known->lines[index];
  // The child's body may have written over the terminators.
  found.file[longest_text - 1] = found.function[longest_text - 1] = 0;
  *line = (interlock_section_line){
      .file = found.file, .function = found.function, .line = (uint32_t)found.site.line};
  return true;
}
