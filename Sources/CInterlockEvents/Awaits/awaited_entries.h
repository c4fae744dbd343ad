// The runtime's entry points that take the resume address as an argument: the number, the kind, and
// the index of that argument.
#define ENTRIES(ENTRY) \
  ENTRY(0, SWITCH, 0, swift_task_switch)                      \
  ENTRY(1, TASK_WAIT, 2, swift_task_future_wait)              \
  ENTRY(2, TASK_WAIT, 2, swift_task_future_wait_throwing)     \
  ENTRY(3, GROUP_WAIT, 2, swift_taskGroup_wait_next_throwing) \
  ENTRY(4, LET_WAIT, 2, swift_asyncLet_get)                   \
  ENTRY(5, LET_WAIT, 2, swift_asyncLet_get_throwing)          \
  ENTRY(6, LET_END, 2, swift_asyncLet_consume)                \
  ENTRY(7, LET_END, 2, swift_asyncLet_consume_throwing)       \
  ENTRY(8, LET_LEFT, 2, swift_asyncLet_finish)                \
  ENTRY(9, GROUP_END, 3, swift_taskGroup_waitAll)
