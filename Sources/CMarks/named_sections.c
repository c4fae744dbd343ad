#include "interlock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The registry is in Swift. These are its entry points for C
// (`Sources/Interlock/Section/CSections.swift`).
void interlock_section_begin(const char *file, const char *function, int line, int mode,
                             int synched, const char *name, size_t length);
void interlock_section_end(const char *file, const char *function, int line, int mode,
                           const char *name, size_t length);
void interlock_part_begin(const char *file, const char *function, int line, int mode, int synched,
                          const char *part, const char *name, size_t length);
void interlock_part_end(const char *file, const char *function, int line, int mode,
                        const char *part, const char *name, size_t length);

enum { short_name = 256 };

// Formats a name. A name longer than `short_name` is allocated; the caller frees the result if it
// is not `buffer`.
static char *interlock_format(char buffer[short_name], size_t *length, const char *format,
                              va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int needed = vsnprintf(buffer, short_name, format, arguments);
  char *name = buffer;
  if (needed < 0) {
    // If the C library refuses a format, the format itself becomes the name.
    snprintf(buffer, short_name, "%s", format);
    needed = (int)strlen(buffer);
  } else if (needed >= short_name) {
    char *longer = malloc((size_t)needed + 1);
    if (longer) {
      vsnprintf(longer, (size_t)needed + 1, format, again);
      name = longer;
    } else {
      needed = short_name - 1;
    }
  }
  va_end(again);
  *length = (size_t)needed;
  return name;
}

void interlock_begin_named(const char *file, const char *function, int line, int mode, int synched,
                           const char *format, ...) {
  char buffer[short_name];
  size_t length;
  va_list arguments;
  va_start(arguments, format);
  char *name = interlock_format(buffer, &length, format, arguments);
  va_end(arguments);
  interlock_section_begin(file, function, line, mode, synched, name, length);
  if (name != buffer) free(name);
}

void interlock_end_named(const char *file, const char *function, int line, int mode,
                         const char *format, ...) {
  char buffer[short_name];
  size_t length;
  va_list arguments;
  va_start(arguments, format);
  char *name = interlock_format(buffer, &length, format, arguments);
  va_end(arguments);
  interlock_section_end(file, function, line, mode, name, length);
  if (name != buffer) free(name);
}

void interlock_begin_part(const char *file, const char *function, int line, int mode, int synched,
                          const char *part, const char *format, ...) {
  char buffer[short_name];
  size_t length;
  va_list arguments;
  va_start(arguments, format);
  char *name = interlock_format(buffer, &length, format, arguments);
  va_end(arguments);
  interlock_part_begin(file, function, line, mode, synched, part ? part : "", name, length);
  if (name != buffer) free(name);
}

void interlock_end_part(const char *file, const char *function, int line, int mode,
                        const char *part, const char *format, ...) {
  char buffer[short_name];
  size_t length;
  va_list arguments;
  va_start(arguments, format);
  char *name = interlock_format(buffer, &length, format, arguments);
  va_end(arguments);
  interlock_part_end(file, function, line, mode, part ? part : "", name, length);
  if (name != buffer) free(name);
}
