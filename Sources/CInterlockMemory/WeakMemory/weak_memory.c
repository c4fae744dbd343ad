// Atomic operations under the weak memory model: see weak_memory.h. Explored threads run one at a
// time, so nothing here locks.
#include "weak_memory.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>
#include <sys/mman.h>

// `kept_free` events stay free for operations that have been prepared and wait at their points.
enum { most_locations = 1024, most_weak_threads = 256, most_candidates = 64, kept_free = 1024 };
enum { relaxed, consume, acquire, release, acquire_release, sequential };

/// An address that atomic operations use. Its memory holds the newest value, for code that is not
/// instrumented.
typedef struct {
  uintptr_t address;
  uint32_t size;
  /// A new number for each object at the address.
  uint32_t number;
  uint32_t oldest, newest, last_event;
  /// The number of stores so far; the explorer's loops read it.
  uint32_t stores;
} weak_location;

/// A thread, or a task, identified by the number of its clock.
typedef struct {
  uint64_t clock;
  uint32_t last_event, run;
  /// The location of the current run.
  uint32_t run_location;
  /// The thread's last release fence; `no_event` for none.
  uint32_t fence;
} weak_thread;

#define GRAPH interlock_weak

static struct {
  uint64_t execution;
  bool is_full;
  uint32_t location_count, thread_count, numbers;
  weak_location locations[most_locations];
  /// A hash table by address: an index plus 1; 0 for a free slot.
  uint16_t table[2 * most_locations];
  weak_thread threads[most_weak_threads];
  /// The event of a change that has read its location and not written it yet.
  uint32_t changing;
} state;

static bool acquires(int order) { return order == consume || order == acquire || order >= 4; }
static bool releases(int order) { return order >= release; }

static weak_event *event_at(uint32_t index) { return &GRAPH->events[index]; }

// Clocks. A releasing store gives its thread's clock to an object of the store's own.

/// The key of that object: above all addresses that a process can have.
static uintptr_t clock_of_event(uint32_t event) { return ((uintptr_t)1 << 56) + event * 16; }

static bool has_seen(const memory_thread *own, const weak_event *event) {
  return event->is_initial || interlock_clock_has_seen(own->clock, event->slot, event->count);
}

static void pass_clock(uint32_t event) {
  event_at(event)->passes = true;
  interlock_memory_order(true, clock_of_event(event));
}

static void begin_execution(uint64_t execution) {
  begin_change();
  for (uint32_t index = 0; index < GRAPH->event_count; index++) {
    if (event_at(index)->passes) interlock_clock_forget(clock_of_event(index), AS_ATOMIC);
  }
  end_change();
  GRAPH->event_count = GRAPH->run_count = GRAPH->sequential_count = GRAPH->fence_count = 0;
  memset(state.table, 0, sizeof state.table);
  state.location_count = state.thread_count = state.numbers = 0;
  state.execution = execution;
  state.is_full = false;
}

/// Returns true if the running execution has a graph; makes it if there is memory.
static bool has_graph(void) {
  if (!GRAPH) {
    void *memory = mmap(NULL, sizeof *GRAPH, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    GRAPH = memory;
  }
  uint64_t execution = interlock_explored_execution();
  if (state.execution != execution) begin_execution(execution);
  return true;
}

/// Records that the graph is full, so that later operations of the execution are sequentially
/// consistent. Returns false.
static bool is_full(void) {
  if (!state.is_full) interlock_explored_memory_gap("atomics behind the first 3,000 operations");
  state.is_full = true;
  return false;
}

// Locations.

static weak_location *location_at(uintptr_t address) {
  size_t slot = address * 0x9e3779b97f4a7c15ull >> 53;
  for (; state.table[slot]; slot = (slot + 1) % (2 * most_locations)) {
    weak_location *location = &state.locations[state.table[slot] - 1];
    if (location->address == address) return location;
  }
  if (state.location_count == most_locations) return NULL;
  weak_location *location = &state.locations[state.location_count++];
  *location = (weak_location){.address = address,
                              .number = state.numbers++,
                              .oldest = no_event,
                              .newest = no_event,
                              .last_event = no_event};
  state.table[slot] = (uint16_t)state.location_count;
  return location;
}

static interlock_wide value_in_memory(const weak_location *location) {
  // Relaxed: explored threads run one at a time.
  switch (location->size) {
    case 1: return __atomic_load_n((const uint8_t *)location->address, __ATOMIC_RELAXED);
    case 2: return __atomic_load_n((const uint16_t *)location->address, __ATOMIC_RELAXED);
    case 4: return __atomic_load_n((const uint32_t *)location->address, __ATOMIC_RELAXED);
    case 8: return __atomic_load_n((const uint64_t *)location->address, __ATOMIC_RELAXED);
    default: {
      interlock_wide value = 0;
      interlock_wide_exchange((interlock_wide *)location->address, &value, value);
      return value;
    }
  }
}

static void write_to_memory(const weak_location *location, interlock_wide value) {
  // Sequentially consistent, the strongest order that the code could have asked for: code outside
  // the model may read the value.
  switch (location->size) {
    case 1: __atomic_store_n((uint8_t *)location->address, (uint8_t)value, __ATOMIC_SEQ_CST); break;
    case 2:
      __atomic_store_n((uint16_t *)location->address, (uint16_t)value, __ATOMIC_SEQ_CST);
      break;
    case 4:
      __atomic_store_n((uint32_t *)location->address, (uint32_t)value, __ATOMIC_SEQ_CST);
      break;
    case 8:
      __atomic_store_n((uint64_t *)location->address, (uint64_t)value, __ATOMIC_SEQ_CST);
      break;
    default: {
      interlock_wide old = 0;
      while (!interlock_wide_exchange((interlock_wide *)location->address, &old, value)) {
      }
      break;
    }
  }
}

/// Gives a location the value in its memory, if other code has initialised or written the memory.
static void see_memory(weak_location *location) {
  interlock_wide value = value_in_memory(location);
  if (location->newest != no_event && event_at(location->newest)->value == value) return;
  if (location->newest != no_event) location->number = state.numbers++;
  uint32_t index = GRAPH->event_count++;
  *event_at(index) = (weak_event){.thread = no_event,
                                  .location = location->number,
                                  .read_from = no_event,
                                  .older = no_event,
                                  .newer = no_event,
                                  .message = no_event,
                                  .previous = no_event,
                                  .previous_here = no_event,
                                  .value = value,
                                  .arrival = ++location->stores,
                                  .writes = true,
                                  .is_initial = true};
  memset(GRAPH->before[index], 0, sizeof GRAPH->before[index]);
  location->oldest = location->newest = location->last_event = index;
}

// Events.

static weak_thread *thread_of(const memory_thread *own) {
  for (uint32_t index = state.thread_count; index-- > 0;) {
    if (state.threads[index].clock == own->clock->number) return &state.threads[index];
  }
  if (state.thread_count == most_weak_threads) return NULL;
  weak_thread *thread = &state.threads[state.thread_count++];
  *thread = (weak_thread){own->clock->number, no_event, no_event, no_event, no_event};
  return thread;
}

/// The number of words of a bit set of all events so far.
static uint32_t words(void) { return (GRAPH->event_count + 63) / 64; }

/// Continues the thread's run, or begins another one.
static uint32_t run_of(const memory_thread *own, weak_thread *thread, uint32_t location) {
  if (thread->run != no_event && location != no_event && thread->run_location == location) {
    const weak_run *run = &GRAPH->runs[thread->run];
    if (run->end_count == *own->count && run->end_lessons == own->clock->lessons) {
      return thread->run;
    }
  }
  uint32_t index = GRAPH->run_count++;
  weak_run *run = &GRAPH->runs[index];
  run->slot = own->clock->slot;
  memset(run->entered, 0, sizeof run->entered);
  for (uint32_t event = 0; event < GRAPH->event_count; event++) {
    if (event_at(event)->is_initial) continue;
    const weak_run *other = &GRAPH->runs[event_at(event)->run];
    if (interlock_clock_has_seen(own->clock, other->slot, other->end_count)) {
      weak_set(run->entered, event);
    }
  }
  thread->run = index;
  thread->run_location = location;
  return index;
}

/// Adds an event of the thread that does not read or write yet.
static uint32_t add_event(const memory_thread *own, weak_location *location) {
  weak_thread *thread = thread_of(own);
  uint32_t number = location ? location->number : no_event;
  uint32_t run = run_of(own, thread, number), index = GRAPH->event_count;
  uint64_t *before = GRAPH->before[index];
  memset(before, 0, sizeof GRAPH->before[index]);
  for (uint32_t event = 0; event < index; event++) {
    if (has_seen(own, event_at(event))) weak_set(before, event);
  }
  GRAPH->event_count++;
  *event_at(index) = (weak_event){.thread = (uint32_t)(thread - state.threads),
                                  .location = number,
                                  .run = run,
                                  .read_from = no_event,
                                  .older = no_event,
                                  .newer = no_event,
                                  .message = no_event,
                                  .previous = thread->last_event,
                                  .previous_here = location ? location->last_event : no_event,
                                  .step = interlock_explored_step(),
                                  .slot = own->clock->slot,
                                  .count = *own->count};
  thread->last_event = index;
  if (location) location->last_event = index;
  return index;
}

static void end_event(const memory_thread *own, uint32_t index) {
  weak_run *run = &GRAPH->runs[event_at(index)->run];
  run->end_count = *own->count;
  run->end_lessons = own->clock->lessons;
}

static void count_as_sequential(uint32_t index) {
  event_at(index)->is_sequential = true;
  GRAPH->sequential[GRAPH->sequential_count++] = index;
}

/// Removes an event that was only tried from the sequentially consistent events.
static void uncount(uint32_t index) {
  if (!event_at(index)->is_sequential) return;
  event_at(index)->is_sequential = false;
  GRAPH->sequential_count--;
}

/// Visits the clocks that an acquiring read of a store gets: those of all release sequences that
/// contain the store.
static void for_each_message(uint32_t store, void (*visit)(uint32_t, void *), void *context) {
  for (; store != no_event; store = event_at(store)->read_from) {
    if (event_at(store)->message != no_event) visit(event_at(store)->message, context);
  }
}

static void add_before(uint32_t message, void *context) {
  uint64_t *before = context;
  for (uint32_t index = 0; index < words(); index++) before[index] |= GRAPH->before[message][index];
  weak_set(before, message);
}
static void get_clock(uint32_t message, void *context) {
  (void)context;
  interlock_memory_order(false, clock_of_event(message));
}

static void acquire_from(uint32_t index, uint32_t store) {
  for_each_message(store, add_before, GRAPH->before[index]);
  for_each_message(store, get_clock, NULL);
}

// The modification order.

static void number_from(uint32_t store) {
  for (; store != no_event; store = event_at(store)->newer) {
    uint32_t older = event_at(store)->older;
    event_at(store)->position = older == no_event ? 0 : event_at(older)->position + 1;
  }
}

static void put_behind(weak_location *location, uint32_t index, uint32_t older) {
  weak_event *event = event_at(index);
  event->older = older;
  event->newer = event_at(older)->newer;
  event_at(older)->newer = index;
  if (event->newer == no_event) {
    location->newest = index;
  } else {
    event_at(event->newer)->older = index;
  }
  event->writes = true;
  number_from(index);
}

static void take_out(weak_location *location, uint32_t index) {
  weak_event *event = event_at(index);
  event_at(event->older)->newer = event->newer;
  if (event->newer == no_event) {
    location->newest = event->older;
  } else {
    event_at(event->newer)->older = event->older;
    number_from(event->newer);
  }
  event->writes = false;
}

/// True if a new store may come directly after this one in the modification order: no atomic change
/// has read this one.
static bool is_open(const weak_event *store) {
  return store->newer == no_event || !event_at(store->newer)->reads;
}

/// Returns the oldest position in the modification order at which the event may write or read: the
/// position of the newest store that happens before the event, or that an earlier such event has
/// read.
static uint32_t oldest_place(const memory_thread *own, uint32_t index) {
  uint32_t place = 0;
  for (uint32_t event = event_at(index)->previous_here; event != no_event;
       event = event_at(event)->previous_here) {
    const weak_event *other = event_at(event);
    if (!has_seen(own, other)) continue;
    uint32_t found = other->writes ? other->position : event_at(other->read_from)->position;
    if (found > place) place = found;
  }
  return place;
}

// The choice.

/// A candidate for an operation: it reads `store`, or writes directly after it, or both.
typedef struct {
  uint32_t store;
  bool reads, writes;
} candidate;

typedef struct {
  weak_location *location;
  memory_thread *own;
  uint32_t event;
  int memory_order, failure_order;
  /// For an exchange, the value that it must find in order to write; NULL for other operations.
  const interlock_wide *expected;
  bool reads, writes;
} operation;

static candidate candidate_of(const operation *op, uint32_t store) {
  bool is_found = !op->expected || event_at(store)->value == *op->expected;
  return (candidate){store, op->reads, op->writes && is_found};
}

typedef struct {
  candidate candidates[most_candidates];
  uint32_t count;
  uint64_t useful;
} choices;

/// Makes the event read and write as the candidate says. Does not change the clocks.
static void apply(const operation *op, candidate chosen) {
  weak_event *event = event_at(op->event);
  int order = chosen.writes || !op->writes ? op->memory_order : op->failure_order;
  if (chosen.reads) {
    event->reads = true;
    event->read_from = chosen.store;
    if (acquires(order)) for_each_message(chosen.store, add_before, GRAPH->before[op->event]);
  }
  if (chosen.writes) put_behind(op->location, op->event, chosen.store);
  if (order == sequential) count_as_sequential(op->event);
}

static void undo(const operation *op, candidate tried, const uint64_t *before) {
  weak_event *event = event_at(op->event);
  uncount(op->event);
  if (tried.writes) take_out(op->location, op->event);
  event->reads = false;
  event->read_from = no_event;
  memcpy(GRAPH->before[op->event], before, sizeof GRAPH->before[op->event]);
}

/// True if the order of sequentially consistent events allows the candidate. The newest store is
/// always allowed, because the event then comes last in every order.
static bool is_consistent(const operation *op, candidate tried) {
  if (tried.store == op->location->newest) return true;
  bool matters = GRAPH->fence_count > 0 || op->memory_order == sequential ||
                 op->failure_order == sequential;
  if (!matters || GRAPH->sequential_count == 0) return true;
  uint64_t before[weak_words];
  memcpy(before, GRAPH->before[op->event], sizeof before);
  apply(op, tried);
  bool holds = interlock_weak_order_holds();
  undo(op, tried, before);
  return holds;
}

/// True if no other order of steps has the same outcome as the candidate. Another order has it if
/// the operation can be performed before some newer store. It cannot, if its step must come after
/// the newer store's, or if the store that it reads was executed after the newer one.
static bool is_useful(const operation *op, const candidate *candidate) {
  const weak_event *store = event_at(candidate->store);
  for (uint32_t newer = store->newer; newer != no_event; newer = event_at(newer)->newer) {
    bool is_read_after = candidate->reads && store->step > event_at(newer)->step;
    if (!is_read_after && !interlock_explored_comes_after(event_at(newer)->step)) return false;
  }
  return true;
}

/// Adds a candidate if it is possible. Returns false if there is no room.
static bool add_candidate(choices *to, const operation *op, candidate next) {
  bool is_possible = !next.writes || is_open(event_at(next.store));
  if (!is_possible || !is_consistent(op, next)) return true;
  if (to->count == most_candidates) {
    interlock_explored_memory_gap("stores that an atomic had 64 stores ago");
    return false;
  }
  to->useful |= (uint64_t)is_useful(op, &next) << to->count;
  to->candidates[to->count++] = next;
  return true;
}

/// Chooses the candidate of the operation. The newest store is the first value to pick from.
static candidate choose(const operation *op, interlock_atomic_call *call) {
  choices made = {.count = 0};
  uint32_t oldest = oldest_place(op->own, op->event);
  for (uint32_t store = op->location->newest; store != no_event; store = event_at(store)->older) {
    const weak_event *event = event_at(store);
    if (event->position < oldest) break;
    candidate next = candidate_of(op, store);
    // A loop that would read the same value again may read only stores that came since, or the
    // newest.
    bool is_new = !call->repeats || event->arrival > call->seen || store == op->location->newest;
    if (!is_new) continue;
    if (!add_candidate(&made, op, next)) break;
    // An exchange that fails by itself only reads the expected value.
    candidate failed = {.store = store, .reads = true};
    if (call->may_fail && next.writes && !add_candidate(&made, op, failed)) break;
  }
  candidate chosen = made.candidates[interlock_explored_pick(made.count, made.useful)];
  call->has_failed = op->expected && !chosen.writes &&
                     event_at(chosen.store)->value == *op->expected;
  return chosen;
}

/// Passes the effect of the step to the explorer, for reports.
static void show(const operation *op, candidate chosen) {
  const weak_event *store = event_at(chosen.store), *newest = event_at(op->location->newest);
  bool is_newest = chosen.store == op->location->newest;
  interlock_atomic_effect effect = {
      .reads = chosen.reads,
      .writes = op->writes,
      .memory_order = op->memory_order,
      .is_wide = op->location->size == sizeof store->value,
      .value = (uint64_t)store->value,
      .upper = (uint64_t)(store->value >> 64),
      .store = store->is_initial ? 0 : store->step + 1,
      .newest = is_newest || newest->is_initial ? 0 : newest->step + 1};
  interlock_explored_atomic_did(&effect);
}

static void end(const operation *op, candidate chosen, interlock_wide value,
                interlock_atomic_call *call) {
  bool is_newest = chosen.store == op->location->newest;
  // For loops, an atomic change to the same value is no change: otherwise two loops that try to
  // lock would wake each other for ever.
  bool changes = chosen.writes && !(chosen.reads && value == event_at(chosen.store)->value);
  weak_event *event = event_at(op->event);
  int order = chosen.writes || !op->writes ? op->memory_order : op->failure_order;
  shadow_cell kind = CELL_IS_ATOMIC | (chosen.writes ? CELL_WRITES : 0);
  // A shadow cell has 8 bytes.
  for (size_t offset = 0; offset < call->size; offset += 8) {
    check_access(call->address + offset, (uint32_t)(call->size < 8 ? call->size : 8), kind,
                 call->place);
  }
  show(op, chosen);
  apply(op, chosen);
  if (chosen.reads && acquires(order)) acquire_from(op->event, chosen.store);
  if (chosen.writes) {
    weak_thread *thread = &state.threads[event->thread];
    event->value = value;
    op->location->stores += changes;
    event->arrival = op->location->stores;
    if (releases(order)) {
      pass_clock(op->event);
      event->message = op->event;
    } else {
      event->message = thread->fence;
    }
    if (op->location->newest == op->event) write_to_memory(op->location, value);
  }
  call->has_written = changes;
  call->is_newest = is_newest;
  end_event(op->own, op->event);
}

bool interlock_weak_prepares(interlock_atomic_call *call) {
  if (!interlock_explored_memory_is_weak || !interlock_explored_memory_is_weak()) return false;
  memory_thread *own = own_memory();
  if (!own || is_interrupted(own) || !interlock_memory_settle(own) || !has_graph()) return false;
  if (state.is_full || GRAPH->event_count + kept_free > most_weak_events || !thread_of(own)) {
    return is_full();
  }
  weak_location *location = location_at(call->address);
  if (!location) return is_full();
  if (location->size && location->size != call->size) return false;
  location->size = (uint32_t)call->size;
  call->stores = &location->stores;
  return true;
}

static operation operation_of(interlock_atomic_call *call, int memory_order) {
  operation op = {.location = location_at(call->address),
                  .own = own_memory(),
                  .memory_order = interlock_explored_memory_order(call->place, memory_order)};
  op.failure_order = op.memory_order;
  interlock_memory_settle(op.own);
  see_memory(op.location);
  op.event = add_event(op.own, op.location);
  return op;
}

interlock_wide interlock_weak_load(interlock_atomic_call *call, int memory_order) {
  operation op = operation_of(call, memory_order);
  op.reads = true;
  candidate chosen = choose(&op, call);
  end(&op, chosen, 0, call);
  return event_at(chosen.store)->value;
}

void interlock_weak_store(interlock_atomic_call *call, interlock_wide value, int memory_order) {
  operation op = operation_of(call, memory_order);
  op.writes = true;
  end(&op, choose(&op, call), value, call);
}

static operation changing;
static candidate changed;

interlock_wide interlock_weak_read(interlock_atomic_call *call, int memory_order) {
  changing = operation_of(call, memory_order);
  changing.reads = changing.writes = true;
  changed = choose(&changing, call);
  return event_at(changed.store)->value;
}

void interlock_weak_change(interlock_atomic_call *call, interlock_wide value) {
  end(&changing, changed, value, call);
}

bool interlock_weak_exchange(interlock_atomic_call *call, interlock_wide *expected,
                             interlock_wide desired, int memory_order, int failure_order) {
  operation op = operation_of(call, memory_order);
  // If an option replaces the order in the code, the same order applies to a failure.
  if (op.memory_order == memory_order) op.failure_order = failure_order;
  op.expected = expected;
  op.reads = op.writes = true;
  candidate chosen = choose(&op, call);
  end(&op, chosen, desired, call);
  *expected = event_at(chosen.store)->value;
  return chosen.writes;
}

bool interlock_weak_fence(int memory_order) {
  if (!interlock_explored_memory_is_weak || !interlock_explored_memory_is_weak()) return false;
  memory_thread *own = own_memory();
  if (!own || is_interrupted(own) || !interlock_memory_settle(own) || !has_graph()) return false;
  if (state.is_full || GRAPH->event_count + kept_free > most_weak_events || !thread_of(own)) {
    return is_full();
  }
  uint32_t index = add_event(own, NULL);
  weak_thread *thread = &state.threads[event_at(index)->thread];
  if (acquires(memory_order)) {
    event_at(index)->is_acquire_fence = true;
    for (uint32_t event = event_at(index)->previous;
         event != no_event && !event_at(event)->is_acquire_fence;
         event = event_at(event)->previous) {
      if (event_at(event)->reads) acquire_from(index, event_at(event)->read_from);
    }
  }
  if (releases(memory_order)) {
    pass_clock(index);
    thread->fence = index;
  }
  if (memory_order == sequential) {
    count_as_sequential(index);
    GRAPH->fence_count++;
  }
  end_event(own, index);
  return true;
}

#endif
