// Lines are kept for the life of the process, so that places stay valid between explorations.
#include "section_lines.h"

#include "../include/interlock_explorer.h"

#include <stdbool.h>
#include <string.h>

enum { most_lines = 4096, place_bits = 48 };
/// In front of the index: no address of a program has these bits.
static const uintptr_t mark = (uintptr_t)0x7ffe << place_bits;

// Only the carrier adds a line; the readers come when it has returned.
static interlock_section_site lines[most_lines];
static uint32_t line_count;
/// Indexes plus 1 into `lines`, by a hash.
static uint32_t slots[2 * most_lines];

static bool is_same(const interlock_section_site *a, const interlock_section_site *b) {
  return a->file == b->file && a->function == b->function && a->line == b->line;
}

uintptr_t interlock_section_place(interlock_section_site site) {
  uint64_t hash = (site.file ^ site.function * 31 ^ site.line << 20) * 0x9e3779b97f4a7c15ull;
  size_t slot = (size_t)(hash >> 40) % (2 * most_lines);
  while (slots[slot]) {
    if (is_same(&lines[slots[slot] - 1], &site)) return mark | (slots[slot] - 1);
    slot = (slot + 1) % (2 * most_lines);
  }
  if (line_count == most_lines) return 0;
  lines[line_count] = site;
  slots[slot] = ++line_count;
  return mark | (line_count - 1);
}

static size_t length_of(uintptr_t text, uint32_t length) {
  if (!text) return 0;
  return length == UINT32_MAX ? strlen((const char *)text) : length;
}

bool interlock_section_line_at(uintptr_t place, interlock_section_line *line) {
  if ((place & ~(uintptr_t)(most_lines - 1)) != mark) return false;
  uint32_t index = (uint32_t)(place & (most_lines - 1));
  if (index >= line_count) return false;
  const interlock_section_site *site = &lines[index];
  *line = (interlock_section_line){
      .file = (const char *)site->file,
      .function = (const char *)site->function,
      .file_length = length_of(site->file, (uint32_t)site->lengths),
      .function_length = length_of(site->function, (uint32_t)(site->lengths >> 32)),
      .line = (uint32_t)site->line};
  return true;
}
