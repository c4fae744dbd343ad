// Tokens: a schedule as a short text that a person can paste.
//
// `i1-BODY-wWIDTH-CHOICES-CHECK`: the version; a hash of the body's name in hexadecimal, which does
// not depend on the build; the width of the pools; the choices; a checksum of everything before it.
// After the width, each access of memory that is a point adds an `s`, the hash of its function, and
// its number there. A choice is a letter, `a` for 0, or from 26 on a number between underscores;
// its repeat count follows if that is more than one.

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

#include "Random/sampling.h"
#include "schedule.h"

enum { LETTERS = 26, CHECK_LENGTH = 6, MOST_CHOICES = 1 << 24, MOST_ACCESSES = 64 };

// FNV-1a (Fowler, Noll, Vo).
static const uint64_t hash_of_nothing = 0xcbf29ce484222325ull;
static uint64_t add_to_hash(uint64_t hash, char character) {
  return (hash ^ (uint8_t)character) * 0x100000001b3ull;
}
static uint32_t fold(uint64_t hash) { return (uint32_t)(hash ^ hash >> 32); }

static uint32_t hash(const char *text, size_t length) {
  uint64_t hash = hash_of_nothing;
  for (size_t i = 0; i < length; i++) hash = add_to_hash(hash, text[i]);
  return fold(hash);
}

typedef struct {
  char *text;
  size_t size, length;
  /// The hash of everything written so far, including what does not fit the caller's buffer.
  uint64_t hash;
} writer;

__attribute__((format(printf, 2, 3))) static void write_text(writer *w, const char *format, ...) {
  char piece[64];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(piece, sizeof piece, format, arguments);
  va_end(arguments);
  for (int i = 0; i < length; i++, w->length++) {
    w->hash = add_to_hash(w->hash, piece[i]);
    if (w->length + 1 < w->size) w->text[w->length] = piece[i];
  }
}

// Allocates no memory, because a signal handler may call it.
size_t interlock_token_write(char *text, size_t size, const char *body, uint32_t width,
                             const interlock_schedule *schedule) {
  writer whole = {.text = text, .size = size, .hash = hash_of_nothing};
  write_text(&whole, "i1-%08x-w%u", hash(body, strlen(body)), width);
  for (size_t i = 0; i < schedule->access_count; i++) {
    uint64_t access = schedule->accesses[i];
    write_text(&whole, "s%08x.%u", (uint32_t)(access >> 32), (uint32_t)access);
  }
  write_text(&whole, "-");
  for (size_t i = 0; i < schedule->count;) {
    uint32_t choice = schedule->choices[i];
    size_t run = 1;
    while (i + run < schedule->count && schedule->choices[i + run] == choice) run++;
    if (choice < LETTERS) {
      write_text(&whole, "%c", (char)('a' + choice));
    } else {
      write_text(&whole, "_%u_", choice);
    }
    if (run > 1) write_text(&whole, "%zu", run);
    i += run;
  }
  write_text(&whole, "-");
  write_text(&whole, "%0*x", CHECK_LENGTH, fold(whole.hash) & 0xffffff);
  if (size > 0) text[whole.length < size ? whole.length : size - 1] = 0;
  return whole.length;
}

// Reads a decimal number without a sign. Returns false if there is none or it is too large.
static bool read_number(const char **text, uint64_t most, uint32_t *value) {
  if (!isdigit((unsigned char)**text)) return false;
  uint64_t number = 0;
  for (; isdigit((unsigned char)**text); ++*text) {
    number = number * 10 + (uint64_t)(**text - '0');
    if (number > most) return false;
  }
  *value = (uint32_t)number;
  return true;
}

static bool read_hexadecimal(const char **text, uint32_t *value) {
  *value = 0;
  for (int i = 0; i < 8; i++, ++*text) {
    char digit = **text;
    if (!isdigit((unsigned char)digit) && (digit < 'a' || digit > 'f')) return false;
    int first = isdigit((unsigned char)digit) ? '0' : 'a' - 10;
    *value = *value << 4 | (uint32_t)(digit - first);
  }
  return true;
}

// Reads the accesses before the choices.
static const char *read_accesses(const char **text, interlock_schedule *schedule) {
  while (**text == 's') {
    uint32_t function, number;
    ++*text;
    if (!read_hexadecimal(text, &function) || *(*text)++ != '.' ||
        !read_number(text, UINT32_MAX, &number)) {
      return "the token has an access of memory without a function or a number";
    }
    if (schedule->access_count == MOST_ACCESSES) return "the token has too many accesses of memory";
    if (!schedule->accesses) {
      schedule->accesses = malloc(MOST_ACCESSES * sizeof *schedule->accesses);
      if (!schedule->accesses) return "no memory for the token's accesses";
    }
    schedule->accesses[schedule->access_count++] = (uint64_t)function << 32 | number;
  }
  return NULL;
}

// Reads the choices into `choices`, or only counts them if `choices` is NULL.
static const char *read_choices(const char *text, const char *end, uint32_t *choices,
                                size_t *count) {
  *count = 0;
  while (text < end) {
    uint32_t choice, run = 1;
    if (*text >= 'a' && *text <= 'z') {
      choice = (uint32_t)(*text++ - 'a');
    } else {
      if (*text++ != '_' || !read_number(&text, UINT32_MAX, &choice) || *text++ != '_') {
        return "the token has a choice that is neither a letter nor a number";
      }
    }
    if (isdigit((unsigned char)*text) &&
        (!read_number(&text, MOST_CHOICES, &run) || run == 0)) {
      return "the token repeats a choice too often";
    }
    if (*count + run > MOST_CHOICES) return "the token has too many choices";
    for (uint32_t i = 0; choices && i < run; i++) choices[*count + i] = choice;
    *count += run;
  }
  return NULL;
}

// Counts the choices before it allocates: a few letters may stand for millions of choices.
static const char *read_schedule(const char *text, const char *end, interlock_schedule *schedule) {
  size_t count;
  const char *error = read_choices(text, end, NULL, &count);
  if (error || count == 0) return error;
  if (!interlock_reserve((void **)&schedule->choices, &schedule->capacity, count,
                         sizeof *schedule->choices)) {
    return "no memory for the token's choices";
  }
  return read_choices(text, end, schedule->choices, &schedule->count);
}

static const char *read_token(const char *text, const char *body, uint32_t *width,
                              interlock_schedule *schedule) {
  const char *at = text;
  uint32_t version;
  if (*at++ != 'i' || !read_number(&at, 1000000, &version) || *at++ != '-') {
    return "this is no token of a schedule: one begins with 'i1-'";
  }
  if (version != 1) return "the token is of another version: this one reads version 1";
  const char *last = strrchr(text, '-');
  size_t length = strlen(text);
  if (last < at || (size_t)(text + length - last) != CHECK_LENGTH + 1) {
    return "the token is cut: its check sum is missing or too short";
  }
  char check[CHECK_LENGTH + 1];
  snprintf(check, sizeof check, "%0*x", CHECK_LENGTH,
           hash(text, (size_t)(last + 1 - text)) & 0xffffff);
  if (strcmp(check, last + 1) != 0) return "the token is cut or changed: its check sum differs";
  char name[16];
  snprintf(name, sizeof name, "%08x-", hash(body, strlen(body)));
  if (strncmp(at, name, 9) != 0) return "the token belongs to another body";
  at += 9;
  if (*at++ != 'w' || !read_number(&at, UINT32_MAX, width)) {
    return "the token has no width of its pools";
  }
  const char *error = read_accesses(&at, schedule);
  if (error) return error;
  if (*at++ != '-') return "the token has no width of its pools";
  if (at > last) return "the token has no choices";
  return read_schedule(at, last, schedule);
}

const char *interlock_token_read(const char *text, const char *body, uint32_t *width,
                                 interlock_schedule *schedule) {
  *schedule = (interlock_schedule){0};
  const char *error = read_token(text, body, width, schedule);
  if (error) interlock_schedule_destroy(schedule);
  return error;
}
