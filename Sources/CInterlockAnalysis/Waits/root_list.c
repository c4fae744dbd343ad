// The list in which libdispatch keeps the blocks of a root queue, in the order in which the pool's
// threads take them. After `dispatch_continuation_s` in libdispatch's inline_internal.h.
#include "wait_table.h"

#ifdef INTERLOCK_INTERPOSES

size_t interlock_waits_root_list(uintptr_t root, interlock_root_item *items, size_t capacity) {
  enum { flags_or_class = 0, next = 2, data = 6, word_count = 7, most_flags = 0xfff };
  uintptr_t at, last, end = 0;
  if (!interlock_root_first_offset ||
      !interlock_peek(root + interlock_root_first_offset, &at, sizeof at) ||
      !interlock_peek(root + interlock_root_last_offset, &last, sizeof last)) {
    return 0;
  }
  size_t count = 0;
  while (at && count < capacity) {
    uintptr_t words[word_count];
    // While a thread takes an item, the first item is no address.
    if (!interlock_peek(at, words, sizeof words)) return 0;
    items[count++] = (interlock_root_item){at, words[data], words[flags_or_class] <= most_flags};
    end = at;
    at = words[next];
  }
  return !at && end == last ? count : 0;
}

#endif
