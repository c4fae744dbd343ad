// Shrinking: the fewest switches that still lead to the same failure.

#include "schedule.h"
#include "Random/stretches.h"

typedef struct {
  interlock_shrink_run *run;
  interlock_shrink_is_over *is_over;
  void *context;
  uint64_t verdict;
  uint32_t left, executions;
  /// The best execution so far: its stretches, and the values that were picked in it.
  interlock_stretches best;
  interlock_schedule picks;
  interlock_shrunk result;
  /// The last candidate failed with the same verdict and as many switches and preemptions: the
  /// left-out stretches came back.
  bool is_same;
} shrinking;

static interlock_strategy *record(interlock_strategy *inner) {
  return interlock_recorder_create(inner, false);
}

static bool keep(shrinking *s, const interlock_recording *recording) {
  s->best.count = 0;
  for (size_t i = 0; i < recording->step_count; i++) {
    if (!interlock_stretches_add(&s->best, recording->steps[i], 1)) return false;
  }
  s->result.schedule.count = 0;
  for (size_t i = 0; i < recording->schedule->count; i++) {
    if (!interlock_schedule_add(&s->result.schedule, recording->schedule->choices[i])) return false;
  }
  s->result.switches = recording->switches;
  s->result.preemptions = recording->preemptions;
  return true;
}

// Counts a candidate; returns false if none may be made any more. Called before a candidate is
// made, which takes time for each stretch of a long execution.
static bool begin_candidate(shrinking *s) {
  if (s->left > 0 && s->is_over && s->is_over(s->context)) s->left = 0;
  if (s->left == 0) return false;
  s->left--;
  s->result.candidates++;
  return true;
}

// Runs a candidate. Keeps it if it fails with the same verdict and has fewer preemptions or
// switches.
static bool try(shrinking *s, const interlock_stretches *candidate) {
  s->executions++;
  interlock_guide guide = interlock_guide_make(candidate, &s->picks);
  interlock_strategy *recorder = record(&guide.strategy);
  if (!recorder) return false;
  bool is_better = false;
  s->is_same = false;
  if (s->run(s->context, recorder) == s->verdict) {
    interlock_recording recording = interlock_recorder_get(recorder);
    is_better = recording.preemptions < s->result.preemptions ||
                (recording.preemptions == s->result.preemptions &&
                 recording.switches < s->result.switches);
    s->is_same = recording.preemptions == s->result.preemptions &&
                 recording.switches == s->result.switches;
    if (is_better) is_better = keep(s, &recording);
  }
  recorder->destroy(recorder);
  return is_better;
}

// Tries the best execution without the stretches `from` to `to` - 1.
static bool try_without(shrinking *s, size_t from, size_t to) {
  if (!begin_candidate(s)) return false;
  interlock_stretches candidate = {0};
  bool has_all = true;
  for (size_t i = 0; i < s->best.count && has_all; i++) {
    if (i >= from && i < to) continue;
    const interlock_stretch *stretch = &s->best.stretches[i];
    has_all = interlock_stretches_add(&candidate, stretch->thread, stretch->steps);
  }
  bool is_better = has_all && try(s, &candidate);
  free(candidate.stretches);
  return is_better;
}

// Tries the best execution with stretch `from` joined to the stretch `to` of the same thread.
static bool try_joined(shrinking *s, size_t from, size_t to) {
  if (!begin_candidate(s)) return false;
  interlock_stretches candidate = {0};
  bool has_all = true;
  for (size_t i = 0; i < s->best.count && has_all; i++) {
    if (i == from) continue;
    interlock_stretch stretch = s->best.stretches[i];
    if (i == to) stretch.steps += s->best.stretches[from].steps;
    has_all = interlock_stretches_add(&candidate, stretch.thread, stretch.steps);
  }
  bool is_better = has_all && try(s, &candidate);
  free(candidate.stretches);
  return is_better;
}

// Leaves stretches out. Returns false if each left-out part comes back; joining stretches is then
// useless as well.
static bool delta_debug(shrinking *s) {
  // Without preemptions, each switch is at a point where a thread waits. If such an execution has
  // many stretches, it needs many threads, such as all threads of a pool, and leaving out one more
  // hardly makes it simpler. So leave out at least a quarter of the stretches at a time, or a half
  // if each half comes back.
  enum { many = 48, parts = 4 };
  for (size_t size = s->best.count / 2; size > 0 && s->left > 0;) {
    bool is_needed = s->result.preemptions == 0 && s->best.count > many;
    if (is_needed && size < s->best.count / parts) return true;
    bool is_better = false, is_same = is_needed;
    for (size_t from = 0; from < s->best.count && s->left > 0 && !is_better;
         from += size) {
      is_better = try_without(s, from, from + size);
      is_same &= s->is_same;
    }
    if (!is_better && is_same) return false;
    if (!is_better) size /= 2;
    if (size > s->best.count) size = s->best.count;
  }
  return true;
}

// Joins two neighbouring stretches of one thread. Trying all pairs would take too long in a long
// execution; stretches further apart are joined in several rounds.
static bool join_one(shrinking *s) {
  for (size_t from = 0; from < s->best.count && s->left > 0; from++) {
    const interlock_stretch *stretches = s->best.stretches;
    size_t before = from, after = from + 1;
    while (before > 0 && stretches[before - 1].thread != stretches[from].thread) before--;
    while (after < s->best.count && stretches[after].thread != stretches[from].thread) after++;
    if (before > 0 && try_joined(s, from, before - 1)) return true;
    if (after < s->best.count && try_joined(s, from, after)) return true;
  }
  return false;
}

interlock_shrunk interlock_shrink(interlock_shrink_run *run, interlock_shrink_is_over *is_over,
                                  void *context, const uint32_t *choices, size_t count,
                                  uint32_t limit) {
  shrinking s = {.run = run, .is_over = is_over, .context = context, .left = limit};
  interlock_strategy *recorder = record(interlock_replay_create(choices, count));
  if (recorder) {
    s.executions++;
    s.verdict = run(context, recorder);
    interlock_recording recording = interlock_recorder_get(recorder);
    s.result.is_failing = s.verdict != 0 && keep(&s, &recording);
    for (size_t i = 0; i < recording.pick_count && s.result.is_failing; i++) {
      s.result.is_failing = interlock_schedule_add(&s.picks, recording.picks[i]);
    }
  }
  if (recorder) recorder->destroy(recorder);
  if (s.result.is_failing) {
    while (delta_debug(&s) && join_one(&s)) continue;
  } else {
    interlock_schedule_destroy(&s.result.schedule);
  }
  free(s.best.stretches);
  interlock_schedule_destroy(&s.picks);
  s.result.executions = s.executions;
  return s.result;
}
