// The runtime's asynchronous functions that an executable calls by symbol, as `AWAITED(kind,
// symbol)`: with an isolation parameter, and without one for older compilers. `awaits.sh` lists
// functions of the toolchain that are missing here. A function of `AWAITED_BODY(kind, body,
// body_kind, symbol)` runs a body before it waits: `body` is the index of that argument,
// `body_kind` the kind of its end.
#ifndef AWAITED_BODY
#define AWAITED_BODY(kind, body, body_kind, symbol) AWAITED(kind, symbol)
#endif

// The task waits for a continuation.
AWAITED_BODY(CONTINUATION, 3, CONTINUATION_BODY,
  "$ss23withCheckedContinuation8function_xSS_yScCyxs5NeverOGXEtYalF")
AWAITED_BODY(CONTINUATION, 5, CONTINUATION_BODY,
  "$ss23withCheckedContinuation9isolation8function_xScA_pSgYi_SSyScCyxs5NeverOGXEtYalF")
AWAITED_BODY(CONTINUATION, 3, CONTINUATION_BODY,
  "$ss31withCheckedThrowingContinuation8function_xSS_yScCyxs5Error_pGXEtYaKlF")
AWAITED_BODY(CONTINUATION, 5, CONTINUATION_BODY,
  "$ss31withCheckedThrowingContinuation9isolation8function_xScA_pSgYi_SSyScCyxs5Error_pGXEtYaKlF")

// The next element of an AsyncStream.
AWAITED(STREAM, "$sScS8IteratorV4next9isolationxSgScA_pSgYi_tYaF")
AWAITED(STREAM, "$sScS8IteratorV4nextxSgyYaF")
AWAITED(STREAM, "$sScs8IteratorV4next9isolationxSgScA_pSgYi_tYaq_YKF")
AWAITED(STREAM, "$sScs8IteratorV4nextxSgyYaKF")

// Functions of sequences: they run closures, possibly after a wait inside the runtime.
AWAITED(SEQUENCE, "$sScI4next7ElementQzSgyYaKFTj")
AWAITED(SEQUENCE, "$sScI4next9isolation7ElementQzSgScA_pSgYi_tYa7FailureQzYKFTj")
AWAITED(SEQUENCE, "$sScIsE4next7ElementQzSgyYa7FailureQzYKF")
AWAITED(SEQUENCE, "$sScIsE4next9isolation7ElementQzSgScA_pSgYi_tYa7FailureQzYKF")
AWAITED(SEQUENCE, "$sScisE10allSatisfyyS2b7ElementQzYaKXEYaKF")
AWAITED(SEQUENCE, "$sScisE3max2by7ElementQzSgSbAD_ADtYaKXE_tYaKF")
AWAITED(SEQUENCE, "$sScisE3min2by7ElementQzSgSbAD_ADtYaKXE_tYaKF")
AWAITED(SEQUENCE, "$sScisE5first5where7ElementQzSgSbADYaKXE_tYaKF")
AWAITED(SEQUENCE, "$sScisE6reduce4into_qd__qd__n_yqd__z_7ElementQztYaKXEtYaKlF")
AWAITED(SEQUENCE, "$sScisE6reduceyqd__qd___qd__qd___7ElementQztYaKXEtYaKlF")
AWAITED(SEQUENCE, "$sScisE8contains5whereS2b7ElementQzYaKXE_tYaKF")
AWAITED(SEQUENCE, "$sScisSL7ElementRpzrlE3maxABSgyYaKF")
AWAITED(SEQUENCE, "$sScisSL7ElementRpzrlE3minABSgyYaKF")
AWAITED(SEQUENCE, "$sScisSQ7ElementRpzrlE8containsySbABYaKF")
AWAITED(SEQUENCE, "$ss16AsyncMapSequenceV8IteratorV4next9isolationq_SgScA_pSgYi_tYa7FailureQzYKF")
AWAITED(SEQUENCE, "$ss16AsyncMapSequenceV8IteratorV4nextq_SgyYaKF")
AWAITED(SEQUENCE, "$ss19AsyncFilterSequenceV8IteratorV4next7ElementQzSgyYaKF")
AWAITED(SEQUENCE,
  "$ss19AsyncFilterSequenceV8IteratorV4next9isolation7ElementQzSgScA_pSgYi_tYa7FailureQzYKF")
AWAITED(SEQUENCE, "$ss19AsyncPrefixSequenceV8IteratorV4next7ElementQzSgyYaKF")
AWAITED(SEQUENCE,
  "$ss19AsyncPrefixSequenceV8IteratorV4next9isolation7ElementQzSgScA_pSgYi_tYa7FailureQzYKF")
AWAITED(SEQUENCE, "$ss20AsyncFlatMapSequenceV8IteratorV4next7ElementQy_SgyYaKF")
AWAITED(SEQUENCE,
  "$ss20AsyncFlatMapSequenceV8IteratorV4next9isolation7ElementQy_SgScA_pSgYi_tYa7FailureQzYKF")
AWAITED(SEQUENCE, "$ss22AsyncDropFirstSequenceV8IteratorV4next7ElementQzSgyYaKF")
AWAITED(SEQUENCE,
  "$ss22AsyncDropFirstSequenceV8IteratorV4next9isolation7ElementQzSgScA_pSgYi_tYa7FailureQzYKF")
AWAITED(SEQUENCE, "$ss22AsyncDropWhileSequenceV8IteratorV4next7ElementQzSgyYaKF")
AWAITED(SEQUENCE,
  "$ss22AsyncDropWhileSequenceV8IteratorV4next9isolation7ElementQzSgScA_pSgYi_tYa7FailureQzYKF")
AWAITED(SEQUENCE,
  "$ss23AsyncCompactMapSequenceV8IteratorV4next9isolationq_SgScA_pSgYi_tYa7FailureQzYKF")
AWAITED(SEQUENCE, "$ss23AsyncCompactMapSequenceV8IteratorV4nextq_SgyYaKF")
AWAITED(SEQUENCE, "$ss24AsyncPrefixWhileSequenceV8IteratorV4next7ElementQzSgyYaKF")
AWAITED(SEQUENCE,
  "$ss24AsyncPrefixWhileSequenceV8IteratorV4next9isolation7ElementQzSgScA_pSgYi_tYa7FailureQzYKF")
AWAITED(SEQUENCE, "$ss24AsyncThrowingMapSequenceV8IteratorV4next9isolationq_SgScA_pSgYi_tYaKF")
AWAITED(SEQUENCE, "$ss24AsyncThrowingMapSequenceV8IteratorV4nextq_SgyYaKF")
AWAITED(SEQUENCE, "$ss27AsyncThrowingFilterSequenceV8IteratorV4next7ElementQzSgyYaKF")
AWAITED(SEQUENCE,
  "$ss27AsyncThrowingFilterSequenceV8IteratorV4next9isolation7ElementQzSgScA_pSgYi_tYaKF")
AWAITED(SEQUENCE, "$ss28AsyncThrowingFlatMapSequenceV8IteratorV4next7ElementQy_SgyYaKF")
AWAITED(SEQUENCE,
  "$ss28AsyncThrowingFlatMapSequenceV8IteratorV4next9isolation7ElementQy_SgScA_pSgYi_tYaKF")
AWAITED(SEQUENCE, "$ss30AsyncThrowingDropWhileSequenceV8IteratorV4next7ElementQzSgyYaKF")
AWAITED(SEQUENCE,
  "$ss30AsyncThrowingDropWhileSequenceV8IteratorV4next9isolation7ElementQzSgScA_pSgYi_tYaKF")
AWAITED(SEQUENCE,
  "$ss31AsyncThrowingCompactMapSequenceV8IteratorV4next9isolationq_SgScA_pSgYi_tYaKF")
AWAITED(SEQUENCE, "$ss31AsyncThrowingCompactMapSequenceV8IteratorV4nextq_SgyYaKF")
AWAITED(SEQUENCE, "$ss32AsyncThrowingPrefixWhileSequenceV8IteratorV4next7ElementQzSgyYaKF")
AWAITED(SEQUENCE,
  "$ss32AsyncThrowingPrefixWhileSequenceV8IteratorV4next9isolation7ElementQzSgScA_pSgYi_tYaKF")
AWAITED(SEQUENCE, "$ss6_first_5where7ElementQzSgx_SbADYaKXEtYaKSciRzlF")
AWAITED(SEQUENCE, "$ss9_contains_5whereSbx_Sb7ElementQzYaKXEtYaKSciRzlF")

// The end of another task, which is the call's second argument.
AWAITED(TASK, "$sScT5valuexvg")
AWAITED(TASK, "$sScT6results6ResultOyxq_Gvg")
AWAITED(TASK, "$sScTss5NeverORs_rlE5valuexvg")

// Tasks, groups, actors, clocks.
AWAITED(GROUP_REST, "$sScG22awaitAllRemainingTasks9isolationyScA_pSgYi_tYaF")
AWAITED(GROUP_REST, "$sScG22awaitAllRemainingTasksyyYaF")
AWAITED(GROUP, "$sScG4next9isolationxSgScA_pSgYi_tYaF")
AWAITED(GROUP, "$sScG4nextxSgyYaF")
AWAITED(GROUP, "$sScG8IteratorV4next9isolationxSgScA_pSgYi_tYaF")
AWAITED(GROUP, "$sScG8IteratorV4nextxSgyYaF")
AWAITED(PLAIN, "$sScM3run10resultType4bodyxxm_xyYbKScMYcXEtYaKlFZ")
AWAITED(SLEEP, "$sScTss5NeverORszABRs_rlE5sleep11nanosecondsys6UInt64V_tYaKFZ")
AWAITED(SLEEP,
  "$sScTss5NeverORszABRs_rlE5sleep5until9tolerance5clocky7InstantQyd___8DurationQyd__Sgqd__tYaKs5ClockRd__lFZ")
AWAITED(SLEEP, "$sScTss5NeverORszABRs_rlE5sleepyys6UInt64VYaFZ")
AWAITED(YIELDS, "$sScTss5NeverORszABRs_rlE5yieldyyYaFZ")
AWAITED(GROUP, "$sScg10nextResults0B0Oyxq_GSgyYaKF")
AWAITED(GROUP, "$sScg11_waitForAllyyYaKF")
AWAITED(GROUP_REST, "$sScg22awaitAllRemainingTasks9isolationyScA_pSgYi_tYaF")
AWAITED(GROUP_REST, "$sScg22awaitAllRemainingTasksyyYaF")
AWAITED(GROUP, "$sScg4next9isolationxSgScA_pSgYi_tYaKF")
AWAITED(GROUP, "$sScg4nextxSgyYaKF")
AWAITED(GROUP, "$sScg8IteratorV4next9isolationxSgScA_pSgYi_tYaq_YKF")
AWAITED(GROUP, "$sScg8IteratorV4nextxSgyYaKF")
AWAITED_BODY(GROUP_SCOPE, 3, GROUP_BODY,
  "$ss13withTaskGroup2of9returning4bodyq_xm_q_mq_ScGyxGzYaXEtYar0_lF")
AWAITED_BODY(GROUP_SCOPE, 5, GROUP_BODY,
  "$ss13withTaskGroup2of9returning9isolation4bodyq_xm_q_mScA_pSgYiq_ScGyxGzYaXEtYas8SendableRzr0_lF")
AWAITED(SLEEP, "$ss15ContinuousClockV5sleep5until9toleranceyAB7InstantV_s8DurationVSgtYaKF")
AWAITED(SLEEP, "$ss15SuspendingClockV5sleep5until9toleranceyAB7InstantV_s8DurationVSgtYaKF")
AWAITED(GROUP_REST, "$ss19DiscardingTaskGroupV22awaitAllRemainingTasksyyYaKF")
AWAITED_BODY(GROUP_SCOPE, 3, THROWING_BODY,
  "$ss21withThrowingTaskGroup2of9returning4bodyq_xm_q_mq_Scgyxs5Error_pGzYaKXEtYaKr0_lF")
AWAITED_BODY(GROUP_SCOPE, 5, THROWING_BODY,
  "$ss21withThrowingTaskGroup2of9returning9isolation4bodyq_xm_q_mScA_pSgYiq_Scgyxs5Error_pGzYaKXEtYaKs8SendableRzr0_lF")
AWAITED(PLAIN, "$ss21withUnsafeCurrentTask4bodyxxSctSgYaKXE_tYaKlF")
AWAITED_BODY(GROUP_SCOPE, 2, GROUP_BODY,
  "$ss23withDiscardingTaskGroup9returning4bodyxxm_xs0bcD0VzYaXEtYalF")
AWAITED_BODY(GROUP_SCOPE, 4, GROUP_BODY,
  "$ss23withDiscardingTaskGroup9returning9isolation4bodyxxm_ScA_pSgYixs0bcD0VzYaXEtYalF")
AWAITED(PLAIN,
  "$ss26withTaskExecutorPreference_9isolation9operationxSch_pSg_ScA_pSgYixyYaq_YKXEtYaq_YKs5ErrorR_r0_lF")
AWAITED(PLAIN, "$ss26withTaskExecutorPreference_9operationxSch_pSg_xyYaYbKXEtYaKs8SendableRzlF")
AWAITED(GROUP_FAILURE,
  "$ss27ThrowingDiscardingTaskGroupV22awaitAllRemainingTasks9bodyErrorys0J0_pSg_tYaKF")
AWAITED_BODY(PLAIN, 1, HANDLED_BODY,
  "$ss27withTaskCancellationHandler9operation8onCancel9isolationxxyYaKXE_yyYbXEScA_pSgYitYaKlF")
AWAITED_BODY(PLAIN, 1, HANDLED_BODY,
  "$ss27withTaskCancellationHandler9operation8onCancelxxyYaKXE_yyYbXEtYaKlF")
AWAITED_BODY(GROUP_SCOPE, 2, FAILING_BODY,
  "$ss31withThrowingDiscardingTaskGroup9returning4bodyxxm_xs0bcdE0Vys5Error_pGzYaKXEtYaKlF")
AWAITED_BODY(GROUP_SCOPE, 4, FAILING_BODY,
  "$ss31withThrowingDiscardingTaskGroup9returning9isolation4bodyxxm_ScA_pSgYixs0bcdE0Vys5Error_pGzYaKXEtYaKlF")
AWAITED(PLAIN,
  "$ss33withTaskPriorityEscalationHandler9operation02onC9Escalated9isolationxxyYaq_YKXE_yScP_ScPtYbXEScA_pSgYitYaq_YKs5ErrorR_r0_lF")
AWAITED(SLEEP, "$ss5ClockP5sleep5until9tolerancey7InstantQz_8DurationQzSgtYaKFTj")
AWAITED(PLAIN, "$ss5ClockPsE7measurey8DurationQzyyYaKXEYaKF")
AWAITED(LOCAL_SCOPE,
  "$ss9TaskLocalC13withValueImpl_9operation4file4lineqd__xn_qd__yYaKXESSSutYaKlF")
AWAITED(LOCAL_SCOPE,
  "$ss9TaskLocalC13withValueImpl_9operation9isolation4file4lineqd__xn_qd__yYaKXEScA_pSgYiSSSutYaKlF")
AWAITED(LOCAL_SCOPE, "$ss9TaskLocalC9withValue_9operation4file4lineqd__x_qd__yYaKXESSSutYaKlF")
AWAITED(LOCAL_SCOPE,
  "$ss9TaskLocalC9withValue_9operation9isolation4file4lineqd__x_qd__yYaKXEScA_pSgYiSSSutYaKlF")
#undef AWAITED_BODY
