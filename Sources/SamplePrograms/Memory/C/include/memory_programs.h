/// The memory of the sample programs that Swift cannot declare: structs and globals of C, and code
/// of C that uses them.
#ifndef MEMORY_PROGRAMS_H
#define MEMORY_PROGRAMS_H

#include <stdbool.h>

typedef struct {
  int number;
  long balance;
  bool is_open;
} memory_account;

/// A number without a guard, and one that the program guards.
extern long memory_plain_global;
extern long memory_guarded_global;

/// Adds to the balance, in C.
void memory_deposit(memory_account *account, long amount);

/// Fills 32 bytes, and copies them.
void memory_fill(void *bytes);
void memory_copy(void *to, const void *from);

/// Writes eight bytes across two words, from the sixth byte of the first.
void memory_write_across(void *words);

#endif
