// Redirects the calls that images make through slots: for measurements, from this executable's
// definitions to the libraries' own; and from one function to another. In C, because of the dynamic
// linker's structures.
#include "interpose.h"

#ifdef INTERLOCK_INTERPOSES

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { jump_slot = R_X86_64_JUMP_SLOT, global_data = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { jump_slot = R_AARCH64_JUMP_SLOT, global_data = R_AARCH64_GLOB_DAT };
#else
enum { jump_slot = -1, global_data = -1 };
#endif

extern const char __start_interlock_between[] HIDDEN, __stop_interlock_between[] HIDDEN;

/// True if a function is one of this executable's interposed definitions.
static bool is_ours(const void *function) {
  uintptr_t start = (uintptr_t)__start_interlock_between;
  return (uintptr_t)function - start < (uintptr_t)__stop_interlock_between - start;
}

/// An image that is being redirected.
typedef struct {
  uintptr_t base;
  const ElfW(Sym) *symbols;
  const char *names;
  /// The part that the dynamic linker has made read-only after it was filled in.
  uintptr_t sealed, sealed_end;
  /// True if the calls go past this executable's definitions; false if they go back to them.
  bool past;
  bool failed;
  /// The one function whose calls are redirected, and the target; `only` is NULL for all interposed
  /// functions. With a `target` of NULL, only looks whether the image imports the function.
  const char *only;
  void *target;
  bool imports;
} image;

/// Writes an address into a slot, whose memory may be read-only.
static bool write_slot(image *image, uintptr_t *slot, uintptr_t function) {
  uintptr_t page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t page = (uintptr_t)slot & ~(page_size - 1);
  bool is_sealed = (uintptr_t)slot >= image->sealed && (uintptr_t)slot < image->sealed_end;
  if (is_sealed && mprotect((void *)page, page_size, PROT_READ | PROT_WRITE) != 0) return false;
  // Release: other threads call either function, and the new one may need what was stored before.
  __atomic_store_n(slot, function, __ATOMIC_RELEASE);
  return !is_sealed || mprotect((void *)page, page_size, PROT_READ) == 0;
}

static void lead(image *image, const ElfW(Rela) *entries, size_t size) {
  for (size_t index = 0; index < size / sizeof *entries; index++) {
    int type = (int)ELF64_R_TYPE(entries[index].r_info);
    if (type != jump_slot && type != global_data) continue;
    const ElfW(Sym) *symbol = &image->symbols[ELF64_R_SYM(entries[index].r_info)];
    const char *name = image->names + symbol->st_name;
    if (symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) != STT_FUNC) continue;
    uintptr_t *slot = (uintptr_t *)(image->base + entries[index].r_offset);
    if (image->only) {
      if (strcmp(name, image->only) != 0) continue;
      image->imports |= symbol->st_shndx == SHN_UNDEF;
      if (image->target) write_slot(image, slot, (uintptr_t)image->target);
      continue;
    }
    // Decide by the name, not the content: an unused slot is not filled in until its first call.
    void *own = *name ? dlsym(RTLD_DEFAULT, name) : NULL;
    if (!is_ours(own)) continue;
    void *real = interlock_find_real(name);
    void *target = image->past ? real : own;
    if (!real || is_ours(real) || !write_slot(image, slot, (uintptr_t)target)) image->failed = true;
  }
}

/// Addresses in the dynamic section lack the base on some systems and in some images.
static uintptr_t address(const image *image, ElfW(Addr) value) {
  return value < image->base ? image->base + value : value;
}

typedef struct {
  bool past, failed;
  const char *only;
  void *target;
  bool imports;
} direction;

static int lead_image(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  direction *all = context;
  // Skip the executable, whose calls of its definitions are direct, unless one function is
  // redirected; and the kernel's page, which makes no calls.
  bool is_executable = !info->dlpi_name || !*info->dlpi_name;
  if (is_executable ? !all->only : strncmp(info->dlpi_name, "linux-vdso", 10) == 0) return 0;
  image image = {
      .base = info->dlpi_addr, .past = all->past, .only = all->only, .target = all->target};
  const ElfW(Dyn) *dynamic = NULL;
  for (int index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    if (header->p_type == PT_DYNAMIC) dynamic = (const ElfW(Dyn) *)(image.base + header->p_vaddr);
    if (header->p_type == PT_GNU_RELRO) {
      image.sealed = image.base + header->p_vaddr;
      image.sealed_end = image.sealed + header->p_memsz;
    }
  }
  uintptr_t calls = 0, data = 0;
  size_t calls_size = 0, data_size = 0;
  for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
    switch (dynamic->d_tag) {
      case DT_SYMTAB:
        image.symbols = (const ElfW(Sym) *)address(&image, dynamic->d_un.d_ptr);
        break;
      case DT_STRTAB: image.names = (const char *)address(&image, dynamic->d_un.d_ptr); break;
      case DT_JMPREL: calls = address(&image, dynamic->d_un.d_ptr); break;
      case DT_PLTRELSZ: calls_size = dynamic->d_un.d_val; break;
      case DT_RELA: data = address(&image, dynamic->d_un.d_ptr); break;
      case DT_RELASZ: data_size = dynamic->d_un.d_val; break;
    }
  }
  if (!image.symbols || !image.names) return 0;
  if (calls) lead(&image, (const ElfW(Rela) *)calls, calls_size);
  if (data) lead(&image, (const ElfW(Rela) *)data, data_size);
  if (image.failed) all->failed = true;
  if (is_executable) all->imports = image.imports;
  return 0;
}

bool interlock_events_bypass(bool past) {
  // With a reader active, the reader would miss half of the calls in progress.
  if (jump_slot < 0 || __atomic_load_n(&interlock_wanted, __ATOMIC_RELAXED)) return false;
  direction all = {.past = past};
  dl_iterate_phdr(lead_image, &all);
  return !all.failed;
}

bool interlock_lead_calls(const char *name, void *own, void **real_function, void *function) {
  if (jump_slot < 0) return false;
  direction one = {.only = name};
  dl_iterate_phdr(lead_image, &one);
  // If the executable imports the function, its address there may be that of a stub that jumps
  // through the slot.
  void *real = one.imports ? interlock_find_real(name) : own;
  if (!real) return false;
  // Stored before the first slot refers to `function`, which reads it.
  *real_function = real;
  one.target = function;
  dl_iterate_phdr(lead_image, &one);
  return true;
}

#else

#include "interlock_events.h"

bool interlock_events_bypass(bool past) {
  (void)past;
  return false;
}

#endif
