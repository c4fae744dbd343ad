#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "interlock_runtime.h"

#include <string.h>

#ifdef __GLIBC__
#include <elf.h>
#include <link.h>

// In C because a binary's tables are the linker's structures.

/// True if the executable refers to the function that lists the tests of a class. The code that the
/// package manager makes for the user's test cases does. A subclass alone is no sign, because a
/// library may have one to derive from.
static int refers_to_test_list(struct dl_phdr_info *info, size_t size, void *found) {
  (void)size;
  const char *prefix = "$s6XCTest8testCaseyAA";
  const ElfW(Dyn) *entry = NULL;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      entry = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  const ElfW(Sym) *symbols = NULL;
  const char *names = NULL;
  const uint32_t *hash = NULL;
  for (; entry && entry->d_tag != DT_NULL; entry++) {
    // glibc relocates these addresses, except on a few systems, on which they stay offsets in the
    // file.
    uintptr_t at = entry->d_un.d_ptr < info->dlpi_addr ? info->dlpi_addr : 0;
    if (entry->d_tag == DT_SYMTAB) symbols = (const ElfW(Sym) *)(at + entry->d_un.d_ptr);
    if (entry->d_tag == DT_STRTAB) names = (const char *)(at + entry->d_un.d_ptr);
    if (entry->d_tag == DT_GNU_HASH) hash = (const uint32_t *)(at + entry->d_un.d_ptr);
  }
  // The second word of the hash table is the number of symbols that the table omits: the undefined
  // symbols.
  for (uint32_t i = 1; symbols && names && hash && i < hash[1]; i++) {
    if (strncmp(names + symbols[i].st_name, prefix, strlen(prefix)) == 0) *(_Bool *)found = 1;
  }
  // The executable comes first; ignore the libraries.
  return 1;
}

_Bool interlock_has_xctests(void) {
  _Bool found = 0;
  dl_iterate_phdr(refers_to_test_list, &found);
  return found;
}
#else
_Bool interlock_has_xctests(void) { return 1; }
#endif
