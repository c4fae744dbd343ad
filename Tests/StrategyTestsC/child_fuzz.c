// Random contents of the shared memory, for the readers of a child's results and log.
#include "child_fuzz.h"

#include "../../Sources/CInterlockExplorer/Isolation/isolation.h"
#include "interlock_strategies.h"
#include "model_generator.h"
#include "model_run.h"

#ifdef INTERLOCK_INTERPOSES

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

bool child_fuzz_is_possible(void) { return true; }

static interlock_shared_memory *map_shared(void) {
  void *made = mmap(NULL, sizeof(interlock_shared_memory), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return made == MAP_FAILED ? NULL : made;
}

static void fail(child_fuzz *fuzz, uint64_t number, const char *wrong) {
  if (fuzz->wrong) return;
  fuzz->wrong = wrong;
  fuzz->wrong_number = number;
}

/// A random word, of a kind that may replace a number, a count, a pointer or a text.
static uint64_t any_word(uint64_t *seed) {
  uint64_t random = model_random(seed), bit = random >> 58;
  switch (random % 8) {
    case 0: return 0;
    case 1: return UINT64_MAX;
    case 2: return random >> 56;
    case 3: return random >> 55;
    // Skips 2^10 to 2^22: a count of that many steps would take long to copy.
    case 4: return (uint64_t)1 << (bit < 10 || bit > 22 ? bit : bit + 20);
    case 5: return 0x0101010101010101;
    default: return model_random(seed);
  }
}

// Results.

enum { header_size = offsetof(interlock_shared_memory, choices) };

static void make_result(interlock_shared_memory *shared, uint64_t number) {
  uint64_t seed = number * 2 + 1;
  memset(shared, 0, header_size);
  shared->result.executions = 1 + model_random(&seed) % 5;
  shared->result.steps = shared->step_count = model_random(&seed) % 50;
  shared->choice_count = model_random(&seed) % 50;
  shared->blocked_count = model_random(&seed) % 5;
  shared->report_size = model_random(&seed) % 100;
  shared->is_over = true;
  for (size_t index = 0; index < 50; index++) {
    shared->trace[index] = (interlock_exploration_step){.operation = {.kind = 4}, .call = "call"};
    shared->blocked[index] = (interlock_blocked_thread){.operation = {.kind = 4}};
  }
  if (number % 64 == 0) return;
  uint64_t *words = (uint64_t *)shared;
  size_t count = header_size / sizeof *words;
  if (number % 8 == 1) {
    for (size_t index = 0; index < count; index++) words[index] = any_word(&seed);
    return;
  }
  // Changes words of the result itself more often than words of the texts behind it.
  size_t first = sizeof shared->result / sizeof *words, last = count - 16;
  for (uint64_t changes = model_random(&seed) % 8; changes > 0; changes--) {
    uint64_t where = model_random(&seed);
    size_t index = where % 4 < 2    ? (where >> 8) % first
                   : where % 4 == 2 ? (where >> 8) % count
                                    : last + (where >> 8) % 16;
    words[index] = any_word(&seed);
  }
  uint64_t *lists[] = {(uint64_t *)shared->trace, (uint64_t *)shared->blocked};
  for (uint64_t changes = model_random(&seed) % 4; changes > 0; changes--) {
    lists[changes % 2][model_random(&seed) % (50 * sizeof *shared->blocked / 8)] =
        any_word(&seed);
  }
}

static bool is_text(const char *text, size_t size) { return memchr(text, 0, size) != NULL; }

static bool is_place(uintptr_t place) {
  return place == 0 || (place >= 4096 && place <= UINTPTR_MAX / 2);
}

static bool is_step(const interlock_operation *operation, const char *call) {
  return operation->kind < INTERLOCK_OPERATION_COUNT && is_text(call, INTERLOCK_CALL_BYTES);
}

/// Checks what a reader of the result relies on. Returns the fault, or NULL.
static const char *check(const interlock_child_result *child,
                         const interlock_exploration_options *options) {
  const interlock_exploration_result *result = &child->result;
  unsigned char complete, anew;
  memcpy(&complete, &result->is_complete, 1);
  memcpy(&anew, &result->must_begin_anew, 1);
  if (complete > 1 || anew > 1) return "a Boolean is neither true nor false";
  if (result->executions > options->executions) return "more executions than were asked for";
  if (result->failures > result->executions || result->cut > result->executions) {
    return "more failures than executions";
  }
  if (result->verdict > INTERLOCK_EXPLORED_RACE || child->end > INTERLOCK_EXECUTION_LIMITED ||
      child->status > INTERLOCK_EXPLORE_NO_CHILD) {
    return "a value that its enumeration does not have";
  }
  if (!(result->reached >= 0 && result->reached <= 1)) return "a share that is none";
  if (result->steps >> 50 || result->distinct >> 50 || result->nanoseconds >> 50) {
    return "a sum that may overflow";
  }
  if (anew && !(result->facts & ~options->facts)) return "begins anew without a new fact";
  if (result->named_count > INTERLOCK_NAMED_MOST ||
      result->escaped_count > INTERLOCK_ESCAPED_MOST) {
    return "more names than there is room for";
  }
  if (result->place != child->details.place || result->text != child->details.text ||
      result->named != child->details.named || result->escaped != child->details.escaped) {
    return "a pointer of the child's";
  }
  bool is_plain = is_text(result->place, sizeof child->details.place) &&
                  is_text(result->text, sizeof child->details.text) &&
                  is_step(&result->differed[0].operation, result->differed[0].call) &&
                  is_step(&result->differed[1].operation, result->differed[1].call);
  for (uint32_t index = 0; index < result->named_count; index++) {
    is_plain &= is_text(result->named[index].name, sizeof result->named[index].name);
  }
  for (uint32_t index = 0; index < result->escaped_count; index++) {
    is_plain &= is_text(result->escaped[index].name, sizeof result->escaped[index].name);
  }
  for (size_t index = 0; index < result->trace_count; index++) {
    is_plain &= is_step(&result->trace[index].operation, result->trace[index].call) &&
                is_place(result->trace[index].place) && is_place(result->trace[index].caller);
  }
  for (size_t index = 0; index < result->blocked_count; index++) {
    is_plain &= is_step(&result->blocked[index].operation, result->blocked[index].call);
  }
  if (!is_plain) return "a text without an end, or a kind or a place that is none";
  uint32_t sum = 0;
  for (size_t index = 0; index < result->choice_count; index++) sum += result->choices_made[index];
  for (size_t index = 0; index < result->report_size; index++) {
    sum += (uint8_t)result->report[index];
  }
  return sum == 1 ? "the lists hold what no input has" : NULL;
}

void child_fuzz_results(uint64_t first, uint64_t count, child_fuzz *fuzz) {
  interlock_shared_memory *shared = map_shared();
  interlock_child_result *child = calloc(1, sizeof *child);
  *fuzz = (child_fuzz){.wrong = shared && child ? NULL : "no memory"};
  interlock_exploration_options options = {.executions = 10, .facts = 1};
  for (uint64_t number = first; number < first + count && !fuzz->wrong; number++) {
    make_result(shared, number);
    interlock_child_take(shared, &options, NULL, child);
    const char *wrong = check(child, &options);
    if (wrong) fail(fuzz, number, wrong);
    bool is_refused = child->result.verdict == INTERLOCK_EXPLORED_CRASHED;
    if (number % 64 == 0 && is_refused) fail(fuzz, number, "a whole result is refused");
    fuzz->accepted += !is_refused;
    fuzz->refused += is_refused;
  }
  if (shared) munmap(shared, sizeof *shared);
  if (child) interlock_child_clear(child);
  free(child);
}

// Logs.

static interlock_strategy *make_strategy(uint64_t number) {
  interlock_dpor_options options = {.objects_keep_their_numbers = number & 8};
  switch (number % 8) {
    case 0: return interlock_random_walk_create(number);
    case 1: return interlock_pct_create(number, 3);
    case 2: return interlock_pos_create(number);
    case 3: return interlock_surw_create(number);
    case 4: return interlock_dfs_create(2);
    case 5: return interlock_round_robin_create();
    default: return interlock_dpor_create(options);
  }
}

/// Writes the log of one execution of a random program.
static void write_log(interlock_strategy_log *log, uint64_t number) {
  log->count = 0;
  log->is_full = log->has_ended = false;
  model_program program = model_generate(number);
  interlock_strategy *strategy = make_strategy(number);
  interlock_logged_strategy self = {0};
  interlock_strategy *logged = interlock_strategy_logged(&self, strategy, log);
  strategy->begin(strategy);
  logged->begin(logged);
  model_execute(&program, logged, (model_options){.by_first_use = number & 16});
  logged->destroy(logged);
  strategy->destroy(strategy);
}

static void write_over(interlock_strategy_log *log, uint64_t number) {
  uint64_t seed = number * 2 + 1;
  for (uint64_t changes = 1 + model_random(&seed) % 4; changes > 0 && log->count > 0; changes--) {
    uint64_t random = model_random(&seed);
    size_t at = (random >> 8) % log->count;
    switch (random % 8) {
      case 0: log->count = at; break;
      case 1: log->words[log->count++] = (uint32_t)any_word(&seed); break;
      case 2: log->words[at] ^= 1u << (random >> 59); break;
      case 3: log->words[at] = log->words[(random >> 32) % log->count]; break;
      case 4:
        // Removes words of the log, as if calls were left out.
        memmove(log->words + at, log->words + at + 1, (log->count - at - 1) * sizeof *log->words);
        log->count--;
        break;
      case 5: log->words[at] += (uint32_t)(random >> 62) - 1; break;
      case 6: log->words[at] = (uint32_t)(random >> 61); break;
      default: log->words[at] = (uint32_t)any_word(&seed); break;
    }
  }
  if (number % 1000 == 1) log->count = any_word(&seed);
}

void child_fuzz_logs(uint64_t first, uint64_t count, child_fuzz *fuzz) {
  enum { variants = 64, most_words = 1 << 16 };
  interlock_shared_memory *shared = map_shared();
  uint32_t *whole = malloc(most_words * sizeof *whole);
  *fuzz = (child_fuzz){.wrong = shared && whole ? NULL : "no memory"};
  size_t words = 0;
  for (uint64_t number = first; number < first + count && !fuzz->wrong; number++) {
    interlock_strategy_log *log = &shared->log;
    if (number == first || number % variants == 0) {
      write_log(log, number / variants);
      words = log->count < most_words ? log->count : 0;
      memcpy(whole, log->words, words * sizeof *whole);
    }
    log->count = words;
    memcpy(log->words, whole, words * sizeof *whole);
    bool is_whole = number % variants == 0;
    if (!is_whole) write_over(log, number);
    interlock_strategy *strategy = make_strategy(number / variants);
    strategy->begin(strategy);
    bool follows = interlock_strategy_follow(strategy, log);
    if (is_whole && !follows) fail(fuzz, number, "a whole log is refused");
    // The strategy continues after the log that it has followed.
    if (follows && strategy->begin(strategy)) {
      log->count = words;
      memcpy(log->words, whole, words * sizeof *whole);
      interlock_strategy_follow(strategy, log);
    }
    strategy->is_complete(strategy);
    strategy->destroy(strategy);
    fuzz->accepted += follows;
    fuzz->refused += !follows;
  }
  if (shared) munmap(shared, sizeof *shared);
  free(whole);
}

#else

bool child_fuzz_is_possible(void) { return false; }
void child_fuzz_results(uint64_t first, uint64_t count, child_fuzz *fuzz) {
  (void)first, (void)count, (void)fuzz;
}
void child_fuzz_logs(uint64_t first, uint64_t count, child_fuzz *fuzz) {
  (void)first, (void)count, (void)fuzz;
}

#endif
