#include "marks.h"

// Named in C, because the test's Swift code has no main.swift.
void c_top_level_closure(void) __asm__("$s3appyycfU_");
void c_top_level_closure(void) {}

unsigned long c_address_in_top_level_closure(void) {
  return (unsigned long)&c_top_level_closure + 1;
}
