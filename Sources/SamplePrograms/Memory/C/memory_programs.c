#include "memory_programs.h"

#include <string.h>

long memory_plain_global;
long memory_guarded_global;

void memory_deposit(memory_account *account, long amount) { account->balance += amount; }

void memory_fill(void *bytes) { memset(bytes, 1, 32); }

void memory_copy(void *to, const void *from) { memcpy(to, from, 32); }

typedef struct __attribute__((packed)) {
  char head[5];
  long number;
} packed_number;

void memory_write_across(void *words) { ((packed_number *)words)->number = 1; }
