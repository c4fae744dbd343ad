// Code of the executable that is compiled without the option, for the reports of races: the orders
// that it makes are not seen.
#include "memory_thread.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__x86_64__)

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interlock_memory.h"

void __tsan_func_entry(void *);

/// Some of a module's functions have no file.
enum { most_modules = 1024, most_functions = 8 };

typedef struct {
  const char *name;
  size_t length;
  bool has_checked;
  uintptr_t plain[most_functions];
  size_t count;
} module;

typedef struct {
  interlock_memory_code_visitor visit;
  void *context;
  uintptr_t base, code_end;
  module modules[most_modules];
  size_t count;
} search;

/// The module of a Swift symbol, as in `$s9Interlock…`; 0 for another symbol.
static size_t module_of(const char *symbol, const char **name) {
  if (symbol[0] != '$' || symbol[1] != 's') return 0;
  size_t length = 0;
  const char *at = symbol + 2;
  for (; *at >= '0' && *at <= '9'; at++) length = length * 10 + (size_t)(*at - '0');
  *name = at;
  return length < 256 && strnlen(at, length) == length ? length : 0;
}

static module *find_module(search *all, const char *name, size_t length) {
  for (size_t i = 0; i < all->count; i++) {
    module *each = &all->modules[i];
    if (each->length == length && memcmp(each->name, name, length) == 0) return each;
  }
  if (all->count == most_modules) return NULL;
  all->modules[all->count] = (module){.name = name, .length = length};
  return &all->modules[all->count++];
}

typedef enum { CALLS_NOTHING, IS_CHECKED, IS_PLAIN } code_kind;

/// The option has every function that calls another one call `__tsan_func_entry`.
static code_kind kind_of(const search *all, uintptr_t start, size_t size) {
  const unsigned char *code = (const unsigned char *)start;
  bool calls = false;
  for (size_t i = 0; i + 5 <= size; i++) {
    if (code[i] != 0xe8) continue;
    int32_t distance;
    memcpy(&distance, code + i + 1, sizeof distance);
    uintptr_t target = start + i + 5 + (uintptr_t)(intptr_t)distance;
    if (target == (uintptr_t)__tsan_func_entry) return IS_CHECKED;
    calls |= target >= all->base && target < all->code_end;
  }
  return calls ? IS_PLAIN : CALLS_NOTHING;
}

static void visit(search *all, const char *symbol, uintptr_t start, size_t size) {
  const char *name;
  size_t length = module_of(symbol, &name);
  // A symbol of Swift that begins with another name is of code that modules share.
  if (length == 0 && symbol[0] == '$') return;
  module *module = length > 0 ? find_module(all, name, length) : NULL;
  if (length > 0 && (!module || module->has_checked)) return;
  // A few are of this package, and are known without symbols.
  if (strncmp(symbol, "interlock_", 10) == 0 || strncmp(symbol, "__tsan_", 7) == 0) return;
  code_kind kind = kind_of(all, start, size);
  if (!module && kind == IS_PLAIN) all->visit(all->context, NULL, 0, start);
  if (!module) return;
  module->has_checked |= kind == IS_CHECKED;
  if (kind == IS_PLAIN && module->count < most_functions) module->plain[module->count++] = start;
}

static void visit_symbols(search *all, const char *file, size_t size) {
  const ElfW(Ehdr) *header = (const void *)file;
  const ElfW(Shdr) *sections = (const void *)(file + header->e_shoff);
  if (header->e_shoff == 0 || header->e_shoff + header->e_shnum * sizeof *sections > size) return;
  for (size_t i = 0; i < header->e_shnum; i++) {
    const ElfW(Shdr) *table = &sections[i];
    if (table->sh_type != SHT_SYMTAB || table->sh_link >= header->e_shnum) continue;
    const ElfW(Shdr) *names = &sections[table->sh_link];
    if (table->sh_offset + table->sh_size > size) return;
    if (names->sh_offset + names->sh_size > size) return;
    const ElfW(Sym) *symbols = (const void *)(file + table->sh_offset);
    for (size_t k = 0; k < table->sh_size / sizeof *symbols; k++) {
      const ElfW(Sym) *symbol = &symbols[k];
      if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_size == 0 ||
          symbol->st_shndx == SHN_UNDEF || symbol->st_name >= names->sh_size) {
        continue;
      }
      uintptr_t start = all->base + symbol->st_value;
      if (start < all->base || start + symbol->st_size > all->code_end) continue;
      visit(all, file + names->sh_offset + symbol->st_name, start, symbol->st_size);
    }
  }
}

/// The first image is the executable.
static int find_executable(struct dl_phdr_info *image, size_t size, void *context) {
  (void)size;
  search *all = context;
  all->base = image->dlpi_addr;
  for (size_t i = 0; i < image->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &image->dlpi_phdr[i];
    uintptr_t end = image->dlpi_addr + part->p_vaddr + part->p_memsz;
    bool is_code = part->p_type == PT_LOAD && part->p_flags & PF_X;
    if (is_code && end > all->code_end) all->code_end = end;
  }
  return 1;
}

void interlock_memory_visit_plain_code(interlock_memory_code_visitor visitor, void *context) {
  int descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat facts;
  void *file = MAP_FAILED;
  if (fstat(descriptor, &facts) == 0 && facts.st_size > (off_t)sizeof(ElfW(Ehdr))) {
    file = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  }
  close(descriptor);
  search *all = file == MAP_FAILED ? NULL : calloc(1, sizeof *all);
  if (all) {
    all->visit = visitor;
    all->context = context;
    dl_iterate_phdr(find_executable, all);
    visit_symbols(all, file, (size_t)facts.st_size);
    for (size_t i = 0; i < all->count; i++) {
      const module *each = &all->modules[i];
      for (size_t k = 0; !each->has_checked && k < each->count; k++) {
        visitor(context, each->name, each->length, each->plain[k]);
      }
    }
  }
  free(all);
  if (file != MAP_FAILED) munmap(file, (size_t)facts.st_size);
}

#else

void interlock_memory_visit_plain_code(interlock_memory_code_visitor visitor, void *context) {
  (void)visitor, (void)context;
}

#endif
