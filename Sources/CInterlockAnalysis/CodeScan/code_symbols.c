// The functions of this executable, by the symbols in its file. In C, because of the layout of ELF.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "instruction.h"

#include <string.h>

#if defined(__linux__) && defined(__LP64__)

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
  const Elf64_Sym *symbols;
  size_t count;
  const char *names;
  size_t names_size;
  /// The difference between an address in memory and the address in the symbol table.
  uintptr_t bias;
} table;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int note_bias(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  // The first entry is the executable.
  table.bias = info->dlpi_addr;
  return 1;
}

static bool is_inside(size_t offset, size_t length, size_t size) {
  return offset <= size && length <= size - offset;
}

static void find_symbols(const char *file, size_t size) {
  const Elf64_Ehdr *head = (const Elf64_Ehdr *)file;
  if (size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return;
  if (!is_inside(head->e_shoff, head->e_shnum * sizeof(Elf64_Shdr), size)) return;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + head->e_shoff);
  for (int index = 0; index < head->e_shnum; index++) {
    const Elf64_Shdr *section = &sections[index];
    if (section->sh_type != SHT_SYMTAB || section->sh_link >= head->e_shnum) continue;
    const Elf64_Shdr *names = &sections[section->sh_link];
    if (!is_inside(section->sh_offset, section->sh_size, size) ||
        !is_inside(names->sh_offset, names->sh_size, size) || names->sh_size == 0 ||
        file[names->sh_offset + names->sh_size - 1] != 0) {
      continue;
    }
    table.names = file + names->sh_offset;
    table.names_size = names->sh_size;
    table.symbols = (const Elf64_Sym *)(file + section->sh_offset);
    table.count = section->sh_size / sizeof(Elf64_Sym);
  }
}

static void read_table(void) {
  int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  struct stat status;
  if (fstat(file, &status) == 0 && status.st_size > 0) {
    // Mapped for the rest of the process's life.
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes != MAP_FAILED) find_symbols(bytes, (size_t)status.st_size);
  }
  close(file);
  dl_iterate_phdr(note_bias, NULL);
}

static const char *name_of(const Elf64_Sym *symbol) {
  return symbol->st_name < table.names_size ? table.names + symbol->st_name : "";
}

static bool is_function(const Elf64_Sym *symbol) {
  return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
         symbol->st_size > 0;
}

static void copy_name(const Elf64_Sym *symbol, char *name, size_t capacity) {
  if (capacity == 0) return;
  strncpy(name, name_of(symbol), capacity - 1);
  name[capacity - 1] = 0;
}

static const Elf64_Sym *symbol_of(uintptr_t address) {
  pthread_once(&once, read_table);
  for (size_t index = 0; index < table.count; index++) {
    const Elf64_Sym *symbol = &table.symbols[index];
    uintptr_t first = table.bias + symbol->st_value;
    if (is_function(symbol) && address - first < symbol->st_size) return symbol;
  }
  return NULL;
}

bool interlock_code_symbol(uintptr_t address, char *name, size_t capacity) {
  const Elf64_Sym *symbol = symbol_of(address);
  if (symbol) copy_name(symbol, name, capacity);
  return symbol;
}

const char *interlock_variable_symbol(uintptr_t address) {
  pthread_once(&once, read_table);
  for (size_t index = 0; index < table.count; index++) {
    const Elf64_Sym *symbol = &table.symbols[index];
    if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_shndx == SHN_UNDEF) continue;
    if (address - (table.bias + symbol->st_value) < symbol->st_size) return name_of(symbol);
  }
  return NULL;
}

uintptr_t interlock_code_start(uintptr_t address) {
  const Elf64_Sym *symbol = symbol_of(address);
  return symbol ? table.bias + symbol->st_value : 0;
}

static void describe(const Elf64_Sym *symbol, interlock_code_function *function) {
  *function = (interlock_code_function){name_of(symbol), table.bias + symbol->st_value,
                                        symbol->st_size,
                                        ELF64_ST_BIND(symbol->st_info) != STB_LOCAL};
}

bool interlock_code_function_at(size_t index, interlock_code_function *function) {
  if (index >= table.count || !is_function(&table.symbols[index])) return false;
  describe(&table.symbols[index], function);
  return true;
}

bool interlock_code_function_of(uintptr_t address, interlock_code_function *function) {
  const Elf64_Sym *symbol = symbol_of(address);
  if (symbol) describe(symbol, function);
  return symbol;
}

interlock_code_finding interlock_scan_functions(const char *part, char *name, size_t capacity) {
  pthread_once(&once, read_table);
  bool is_there = false;
  for (size_t index = 0; index < table.count; index++) {
    const Elf64_Sym *symbol = &table.symbols[index];
    if (!is_function(symbol) || !strstr(name_of(symbol), part)) continue;
    is_there = true;
    interlock_code_finding found =
        interlock_scan_code((const void *)(table.bias + symbol->st_value), symbol->st_size, NULL);
    if (found == INTERLOCK_CODE_PLAIN) continue;
    copy_name(symbol, name, capacity);
    return found;
  }
  return is_there ? INTERLOCK_CODE_PLAIN : INTERLOCK_CODE_UNREADABLE;
}

const char *interlock_code_next_mention(const char *part, const char *other, size_t *index) {
  pthread_once(&once, read_table);
  while (*index < table.count) {
    const char *name = name_of(&table.symbols[(*index)++]);
    if (strstr(name, part) && strstr(name, other)) return name;
  }
  return NULL;
}

size_t interlock_code_symbol_count(void) {
  pthread_once(&once, read_table);
  return table.count;
}

const char *interlock_code_symbol_at(size_t index) {
  if (index >= table.count || !is_function(&table.symbols[index])) return "";
  return name_of(&table.symbols[index]);
}

uintptr_t interlock_code_address_of(size_t index) {
  pthread_once(&once, read_table);
  if (index >= table.count) return 0;
  const Elf64_Sym *symbol = &table.symbols[index];
  bool is_here = symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0;
  return is_here ? table.bias + symbol->st_value : 0;
}

/// The indexes of the symbols that have addresses, by these.
static struct {
  uint32_t *indexes;
  size_t count;
} sorted;
static pthread_once_t sorts_once = PTHREAD_ONCE_INIT;

static bool has_address(const Elf64_Sym *symbol) {
  unsigned type = ELF64_ST_TYPE(symbol->st_info);
  return (type == STT_FUNC || type == STT_OBJECT) && symbol->st_shndx != SHN_UNDEF &&
         symbol->st_size > 0;
}

static int compare(const void *first, const void *second) {
  const Elf64_Sym *one = &table.symbols[*(const uint32_t *)first];
  const Elf64_Sym *other = &table.symbols[*(const uint32_t *)second];
  if (one->st_value != other->st_value) return one->st_value < other->st_value ? -1 : 1;
  // The longest symbol comes last, and is the one found.
  return one->st_size < other->st_size ? -1 : one->st_size > other->st_size;
}

static void sort_symbols(void) {
  pthread_once(&once, read_table);
  sorted.indexes = malloc((table.count ? table.count : 1) * sizeof *sorted.indexes);
  if (!sorted.indexes) return;
  for (size_t index = 0; index < table.count; index++) {
    if (has_address(&table.symbols[index])) sorted.indexes[sorted.count++] = (uint32_t)index;
  }
  qsort(sorted.indexes, sorted.count, sizeof *sorted.indexes, compare);
}

bool interlock_code_symbol_with(uintptr_t address, size_t *index, const char **name) {
  pthread_once(&sorts_once, sort_symbols);
  uintptr_t value = address - table.bias;
  size_t first = 0, end = sorted.count;
  while (first < end) {
    size_t middle = first + (end - first) / 2;
    if (table.symbols[sorted.indexes[middle]].st_value <= value) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  if (first == 0) return false;
  *index = sorted.indexes[first - 1];
  const Elf64_Sym *symbol = &table.symbols[*index];
  *name = name_of(symbol);
  size_t end_of_symbol = symbol->st_value + symbol->st_size;
  // Swift gives the address of a type's metadata, which lies inside the whole, the size of the
  // whole. The symbol would reach into the data behind.
  if (first > 1) {
    const Elf64_Sym *whole = &table.symbols[sorted.indexes[first - 2]];
    size_t end_of_whole = whole->st_value + whole->st_size;
    if (whole->st_value < symbol->st_value && end_of_whole > symbol->st_value &&
        end_of_whole < end_of_symbol) {
      end_of_symbol = end_of_whole;
    }
  }
  return value < end_of_symbol;
}

interlock_code_finding interlock_locate_uncontrolled(size_t index, uintptr_t *address) {
  if (index >= table.count || !is_function(&table.symbols[index])) return INTERLOCK_CODE_UNREADABLE;
  const Elf64_Sym *symbol = &table.symbols[index];
  uintptr_t first = table.bias + symbol->st_value;
  size_t at = 0;
  interlock_code_finding found =
      interlock_scan_explored_code((const void *)first, symbol->st_size, &at);
  *address = first + at;
  return found;
}

interlock_code_finding interlock_scan_symbol(size_t index) {
  if (index >= table.count || !is_function(&table.symbols[index])) return INTERLOCK_CODE_UNREADABLE;
  const Elf64_Sym *symbol = &table.symbols[index];
  return interlock_scan_code((const void *)(table.bias + symbol->st_value), symbol->st_size, NULL);
}

#else

interlock_code_finding interlock_scan_symbol(size_t index) {
  (void)index;
  return INTERLOCK_CODE_UNREADABLE;
}

interlock_code_finding interlock_locate_uncontrolled(size_t index, uintptr_t *address) {
  (void)index;
  *address = 0;
  return INTERLOCK_CODE_UNREADABLE;
}

const char *interlock_code_next_mention(const char *part, const char *other, size_t *index) {
  (void)other;
  // Without symbols it is not known: one function may mention the texts.
  return (*index)++ == 0 ? part : NULL;
}

size_t interlock_code_symbol_count(void) { return 0; }

uintptr_t interlock_code_address_of(size_t index) {
  (void)index;
  return 0;
}

bool interlock_code_symbol_with(uintptr_t address, size_t *index, const char **name) {
  (void)address, (void)index, (void)name;
  return false;
}

bool interlock_code_function_at(size_t index, interlock_code_function *function) {
  (void)index, (void)function;
  return false;
}

bool interlock_code_function_of(uintptr_t address, interlock_code_function *function) {
  (void)address, (void)function;
  return false;
}

const char *interlock_code_symbol_at(size_t index) {
  (void)index;
  return "";
}

bool interlock_code_symbol(uintptr_t address, char *name, size_t capacity) {
  (void)address, (void)name, (void)capacity;
  return false;
}

const char *interlock_variable_symbol(uintptr_t address) {
  (void)address;
  return NULL;
}

uintptr_t interlock_code_start(uintptr_t address) {
  (void)address;
  return 0;
}

interlock_code_finding interlock_scan_functions(const char *part, char *name, size_t capacity) {
  (void)part, (void)name, (void)capacity;
  return INTERLOCK_CODE_UNREADABLE;
}

#endif
