// The state of a step, shared by the model's files only.
#ifndef STRATEGY_TESTS_MODEL_STEPPING_H
#define STRATEGY_TESTS_MODEL_STEPPING_H

#include "model.h"

#define K(name) INTERLOCK_OPERATION_##name

typedef struct {
  const model_program *program;
  model_state *state;
  unsigned slot;
  model_picker *picker;
  void *context;
  model_step *step;
} model_stepping;

/// Adds an operation to the step; the caller sets its flags and second object.
interlock_operation *model_did(model_stepping *s, uint16_t kind, unsigned index);
/// Adds the result of an operation to the thread's history.
void model_returned(model_thread *thread, uint32_t value);
void model_make_slot(model_stepping *s, unsigned slot);
void model_enqueue(model_stepping *s, unsigned slot);
void model_begin_block(model_stepping *s, unsigned queue);
void model_finish(model_stepping *s, unsigned queue, bool is_barrier);
/// The flags of an enter and a leave while no notification is registered. Each leave of the model
/// comes after an enter of its own.
enum {
  model_unnotified = INTERLOCK_OPERATION_NO_NOTIFICATION | INTERLOCK_OPERATION_BALANCED,
};
bool model_has_notifications(const model_state *state, unsigned group);
void model_leave(model_stepping *s, unsigned group);
void model_on_lock(model_stepping *s, const model_line *line);
void model_on_condition(model_stepping *s, const model_line *line);
void model_on_barrier(model_stepping *s, const model_line *line);
void model_on_semaphore(model_stepping *s, const model_line *line);
/// Performs one line.
void model_perform(model_stepping *s, const model_line *line);

#endif
