#!/usr/bin/env bash
# Counts in how many plain runs the programs of Sources/SamplePrograms/Orders show their bugs, and
# in how many ThreadSanitizer reports one. By hand, for it takes minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."

runs=20
while [ $# -gt 0 ]; do
  case "$1" in
    -h | --help)
      cat <<'END'
Usage: ci/checks/orders.sh [--runs N]

  --runs N     runs of each program, 1 to 1000 (default: 20)
  -h, --help   show this, and build nothing

A run executes the program up to 100 times, for at most a second, in a process of its own. It shows the bug if a check of
the program fails, if it traps, or if it has not ended after 5 seconds. Builds in release, without and with
ThreadSanitizer, unless INTERLOCK_DETECTOR_PROGRAM and INTERLOCK_DETECTOR_SANITIZED_PROGRAM name the programs.
END
      exit 0
      ;;
    --runs)
      [[ ${2-} =~ ^[1-9][0-9]{0,3}$ ]] && [ "$2" -le 1000 ] || {
        echo "error: '--runs' must be a whole number from 1 to 1000, found '${2-}'" >&2
        exit 64
      }
      runs=$2
      shift 2
      ;;
    *)
      echo "error: Unknown argument '$1', expected '--runs'; see 'ci/checks/orders.sh --help'" >&2
      exit 64
      ;;
  esac
done

plain=${INTERLOCK_DETECTOR_PROGRAM-}
sanitized=${INTERLOCK_DETECTOR_SANITIZED_PROGRAM-}
if [ -z "$plain" ]; then
  options=(-c release --scratch-path .build/detectors -Xlinker -S)
  swift build "${options[@]}" --product DetectorProgram >&2
  plain=$(swift build "${options[@]}" --show-bin-path)/DetectorProgram
fi
if [ -z "$sanitized" ]; then
  options=(-c release --scratch-path .build/detectors-sanitized --sanitize=thread)
  swift build "${options[@]}" --product DetectorProgram >&2
  sanitized=$(swift build "${options[@]}" --show-bin-path)/DetectorProgram
fi

export SWIFT_BACKTRACE=enable=no
# A special exit code for the sanitizer, so that a program's failed check is not taken for a report.
export TSAN_OPTIONS="exitcode=66 halt_on_error=1 atexit_sleep_ms=0"
printf '%-36s %14s   %s\n' program "plain runs" ThreadSanitizer
shown_programs=0 reported_programs=0 programs=0
for name in $("$plain" --orders); do
  shown=0 reported=0
  for ((run = 0; run < runs; run++)); do
    timeout -s KILL 5 "$plain" --repeat "$name" >/dev/null 2>&1 || shown=$((shown + 1))
    code=0
    timeout -s KILL 5 "$sanitized" --repeat "$name" >/dev/null 2>&1 || code=$?
    if [ "$code" = 66 ]; then reported=$((reported + 1)); fi
  done
  printf '%-36s %5d of %-5d %5d of %d\n' "$name" "$shown" "$runs" "$reported" "$runs"
  programs=$((programs + 1))
  if [ "$shown" -gt 0 ]; then shown_programs=$((shown_programs + 1)); fi
  if [ "$reported" -gt 0 ]; then reported_programs=$((reported_programs + 1)); fi
done
echo
echo "Plain runs show the bug of $shown_programs of $programs programs in at least one run;" \
  "ThreadSanitizer reports $reported_programs."
