// The functions of other images that this executable calls, by the stubs that jump to them. In C,
// because of the layout of ELF.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "interlock_code.h"

#if defined(__linux__) && defined(__x86_64__)

#include <link.h>
#include <pthread.h>
#include <string.h>

static struct {
  uintptr_t bias;
  const ElfW(Dyn) * entries;
} image;

static int note_image(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  image.bias = info->dlpi_addr;
  for (int index = 0; index < info->dlpi_phnum; index++) {
    if (info->dlpi_phdr[index].p_type != PT_DYNAMIC) continue;
    image.entries = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[index].p_vaddr);
  }
  // The first entry is the executable.
  return 1;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_image(void) { dl_iterate_phdr(note_image, NULL); }

static uintptr_t entry(ElfW(Sxword) tag) {
  for (const ElfW(Dyn) *entry = image.entries; entry && entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == tag) return entry->d_un.d_val;
  }
  return 0;
}

/// Returns the address of a table. Some loaders have replaced the distances in the file by
/// addresses.
static uintptr_t table(ElfW(Sxword) tag) {
  uintptr_t value = entry(tag);
  return value && value < image.bias ? value + image.bias : value;
}

static const char *name_of_slot(uintptr_t slot, uintptr_t relocations, size_t size) {
  const ElfW(Sym) *symbols = (const ElfW(Sym) *)table(DT_SYMTAB);
  const char *names = (const char *)table(DT_STRTAB);
  const ElfW(Rela) *first = (const ElfW(Rela) *)relocations;
  if (!first || !symbols || !names) return NULL;
  for (size_t index = 0; index < size / sizeof *first; index++) {
    if (first[index].r_offset + image.bias != slot) continue;
    size_t symbol = ELF64_R_SYM(first[index].r_info);
    return symbol ? names + symbols[symbol].st_name : NULL;
  }
  return NULL;
}

const char *interlock_code_import_at(uintptr_t target) {
  pthread_once(&once, find_image);
  const unsigned char *code = (const unsigned char *)target;
  const unsigned char landing[] = {0xf3, 0x0f, 0x1e, 0xfa};
  if (memcmp(code, landing, sizeof landing) == 0) code += sizeof landing;
  // A jump through a slot, whose address is relative to the code, with or without a prefix that has
  // no effect.
  if (*code == 0xf2) code++;
  if (code[0] != 0xff || code[1] != 0x25) return NULL;
  int32_t distance;
  memcpy(&distance, code + 2, sizeof distance);
  uintptr_t slot = (uintptr_t)code + 6 + (uintptr_t)(intptr_t)distance;
  const char *name = name_of_slot(slot, table(DT_JMPREL), entry(DT_PLTRELSZ));
  return name ? name : name_of_slot(slot, table(DT_RELA), entry(DT_RELASZ));
}

size_t interlock_code_import_slots(const char *part, const char *other, uintptr_t *slots,
                                   size_t capacity) {
  pthread_once(&once, find_image);
  const ElfW(Sym) *symbols = (const ElfW(Sym) *)table(DT_SYMTAB);
  const char *names = (const char *)table(DT_STRTAB);
  const ElfW(Rela) *first = (const ElfW(Rela) *)table(DT_RELA);
  if (!first || !symbols || !names) return 0;
  size_t count = 0;
  for (size_t index = 0; index < entry(DT_RELASZ) / sizeof *first; index++) {
    size_t symbol = ELF64_R_SYM(first[index].r_info);
    if (!symbol) continue;
    const char *name = names + symbols[symbol].st_name;
    if (!strstr(name, part) || !strstr(name, other)) continue;
    if (count < capacity) slots[count] = first[index].r_offset + image.bias;
    count++;
  }
  return count;
}

#else

#include <stddef.h>

size_t interlock_code_import_slots(const char *part, const char *other, uintptr_t *slots,
                                   size_t capacity) {
  (void)part, (void)other, (void)slots, (void)capacity;
  return 0;
}

const char *interlock_code_import_at(uintptr_t target) {
  (void)target;
  return NULL;
}

#endif
