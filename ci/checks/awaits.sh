#!/usr/bin/env bash
# Checks that Interlock intercepts the end of every asynchronous function that the toolchain's
# runtime exports, and knows every other entry: a missing one would be an order between tasks that
# prediction does not see. And that it intercepts each call by which the code of @Test and @Suite
# describes a test, and the functions of XCTest and Foundation by which its tests run: the option
# explore=tests would leave such a test out. Linux only; needs nm. Ends
# with 1 if an entry is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."

library=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")/lib/swift/linux/libswift_Concurrency.so
known=Sources/CInterlockEvents/Awaits/awaited_calls.h
symbols=$(nm -D --defined-only "$library" | awk '$2 == "T" || $3 ~ /Tu$/ { print $3 }')

# An asynchronous function has a second symbol, for the size of its context.
exported=$(sed -n 's/^\($s.*\)Tu$/\1/p' <<< "$symbols" | sort)
[ -n "$exported" ] || { echo "error: no asynchronous function in $library" >&2; exit 1; }
missing=$(comm -23 <(printf '%s\n' "$exported") <(sed -n 's/.*"\($s.*\)").*/\1/p' "$known" | sort))

# C functions: interpose_awaits.c or interpose_concurrency.c intercepts them, or no task waits in
# them.
entries=$(grep -E '^swift_(task|taskGroup|asyncLet|continuation)_' <<< "$symbols" | sort)
looked_at=$(sort << 'END'
swift_asyncLet_begin
swift_asyncLet_consume
swift_asyncLet_consume_throwing
swift_asyncLet_finish
swift_asyncLet_get
swift_asyncLet_get_throwing
swift_continuation_await
swift_continuation_init
swift_continuation_resume
swift_continuation_throwingResume
swift_continuation_throwingResumeWithError
swift_taskGroup_addPending
swift_taskGroup_attachChild
swift_taskGroup_cancelAll
swift_taskGroup_destroy
swift_taskGroup_initialize
swift_taskGroup_initializeWithFlags
swift_taskGroup_initializeWithOptions
swift_taskGroup_isCancelled
swift_taskGroup_isEmpty
swift_taskGroup_waitAll
swift_taskGroup_wait_next_throwing
swift_task_addCancellationHandler
swift_task_addPriorityEscalationHandler
swift_task_alloc
swift_task_asyncMainDrainQueue
swift_task_basePriority
swift_task_cancel
swift_task_cancel_group_child_tasks
swift_task_checkIsolated
swift_task_create
swift_task_createNullaryContinuationJob
swift_task_create_common
swift_task_currentPriority
swift_task_dealloc
swift_task_dealloc_through
swift_task_deinitOnExecutor
swift_task_donateThreadToGlobalExecutorUntil
swift_task_enqueue
swift_task_enqueueGlobal
swift_task_enqueueGlobalWithDeadline
swift_task_enqueueGlobalWithDelay
swift_task_enqueueMainExecutor
swift_task_enqueueOnDispatchQueue
swift_task_enqueueTaskOnExecutor
swift_task_escalate
swift_task_future_wait
swift_task_future_wait_throwing
swift_task_getCurrent
swift_task_getCurrentExecutor
swift_task_getCurrentTaskName
swift_task_getCurrentThreadPriority
swift_task_getJobFlags
swift_task_getJobTaskId
swift_task_getMainExecutor
swift_task_getPreferredTaskExecutor
swift_task_hasTaskGroupStatusRecord
swift_task_immediate
swift_task_invokeSwiftCheckIsolated
swift_task_invokeSwiftIsIsolatingCurrentContext
swift_task_isCancelled
swift_task_isCurrentExecutor
swift_task_isCurrentExecutorWithFlags
swift_task_isIsolatingCurrentContext
swift_task_isMainExecutor
swift_task_isOnExecutor
swift_task_localValueGet
swift_task_localValuePop
swift_task_localValuePush
swift_task_localsCopyTo
swift_task_popTaskExecutorPreference
swift_task_pushTaskExecutorPreference
swift_task_removeCancellationHandler
swift_task_removePriorityEscalationHandler
swift_task_reportIllegalTaskLocalBindingWithinWithTaskGroup
swift_task_reportUnexpectedExecutor
swift_task_startOnMainActor
swift_task_suspend
swift_task_switch
END
)
unknown=$(comm -23 <(printf '%s\n' "$entries") <(printf '%s\n' "$looked_at"))

library=${library%/*}/libTesting.so
described=$(nm -D --defined-only "$library" | awk '$3 ~ /4TestV(10__function|6__type)/ { print $3 }' | sort)
[ -n "$described" ] || { echo "error: no function for a test in $library" >&2; exit 1; }
unmet=$(comm -23 <(printf '%s\n' "$described") \
  <(tr -d '\n' < Sources/CInterlockEvents/Tests/described_tests.h | sed 's/" *"//g' | grep -oE '\$s[^"]+' | sort))

if [ -n "$missing$unknown$unmet" ]; then
  [ -z "$missing" ] || printf 'error: %s lacks\n%s\n' "$known" "$missing" >&2
  [ -z "$unknown" ] || printf 'error: not yet checked whether a task waits in\n%s\n' "$unknown" >&2
  [ -z "$unmet" ] || printf 'error: described_tests.h lacks\n%s\n' "$unmet" >&2
  exit 1
fi

# The functions of Foundation and XCTest that an explored test calls. A name that the toolchain does
# not have would leave the call out.
libraries=$(dirname "$library")
met=$(cat Sources/CInterlockEvents/{calls_outside.h,Tests/xctest_doors.c,Dispatch/interpose_run_loops.c} | tr -d '\n\\' \
  | sed 's/" *"//g' | grep -oE '\$s(10Foundation|6XCTest)[^"]+' | sort -u)
unknown=$(comm -23 <(printf '%s\n' "$met") \
  <(nm -D --defined-only "$libraries"/lib{Foundation,XCTest}.so | awk '{ print $3 }' | sort -u))
[ -z "$unknown" ] || { printf 'error: not in Foundation or XCTest:\n%s\n' "$unknown" >&2; exit 1; }

echo "awaits: all of $(wc -l <<< "$exported") are met"
