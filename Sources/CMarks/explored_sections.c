// The interface between sections and the explorer.
#include "interlock_explored_sections.h"

const interlock_explored_sections *interlock_explored_sections_now;

void interlock_set_explored_sections(const interlock_explored_sections *sections) {
  // Release: pairs with the acquire in `interlock_get_explored_sections`.
  __atomic_store_n(&interlock_explored_sections_now, sections, __ATOMIC_RELEASE);
  interlock_explored_sections_changed();
}
