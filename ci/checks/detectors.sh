#!/usr/bin/env bash
# Compares race and deadlock detectors on the same small programs. Run it by hand: it takes minutes.
# `ci/checks/detectors.sh --help` explains it; wrong arguments are reported before anything is built.
set -euo pipefail
cd "$(dirname "$0")/../.."

help() {
  cat <<'END'
Usage: ci/checks/detectors.sh [--runs N] [--valgrind-runs N] [--rows TEXT]
       ci/checks/detectors.sh --memory [--runs N] [--rows TEXT]

  --runs N            runs of each program by each detector, 1 to 1000 (default: 5)
  --valgrind-runs N   the same for Helgrind and DRD, which take a second to start (default: 1)
  --rows TEXT         only the rows with this text in their titles, and their twins; without the slow-down
  --memory            instead, the programs of Sources/SamplePrograms/Memory, which have no marks: what ThreadSanitizer
                      and Interlock's check of memory find in them, in debug and with -O (default: 1 run of each)
  -h, --help          show this, and build nothing

Builds in release: the programs as they are, the programs with ThreadSanitizer, and the tool and the programs with the
trait SectionTracking. In the first two the marks are nothing, and no harness is around a program. In debug, where
sections are in any build: the programs and the tool once more, for what sections cost there. Helgrind and DRD are left out
where no valgrind is installed. Ends with 0 when the table is printed, whatever it says; 64 wrong usage.
END
}

usage() {
  echo "error: $1; see 'ci/checks/detectors.sh --help'" >&2
  exit 64
}

runs=
is_memory=
valgrind_runs=1
rows=
while [ $# -gt 0 ]; do
  case "$1" in
    --runs=* | --valgrind-runs=* | --rows=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
  esac
  case "$1" in
    -h | --help)
      help
      exit 0
      ;;
    --runs | --valgrind-runs)
      [ $# -ge 2 ] || usage "Missing value for '$1'"
      [[ $2 =~ ^[1-9][0-9]{0,3}$ ]] && [ "$2" -le 1000 ] ||
        usage "'$1' must be a whole number from 1 to 1000, found $(printf '%q' "$2")"
      if [ "$1" = --runs ]; then runs=$2; else valgrind_runs=$2; fi
      shift 2
      ;;
    --memory)
      is_memory=yes
      shift
      ;;
    --rows)
      [ $# -ge 2 ] && [ -n "$2" ] || usage "Missing value for '$1'"
      rows=$2
      shift 2
      ;;
    *) usage "Unknown argument $(printf '%q' "$1"), expected '--runs', '--valgrind-runs', '--rows' or '--memory'" ;;
  esac
done

# Prints, for each program of Sources/SamplePrograms/Memory, in how many runs each detector reports
# it; and a table of all programs.
compare_memory() {
  local folder=.build/detectors-memory titles=() commands=() found=() false_reports=() failed=()
  local option configuration kind name column run hits code cells
  local -A count=([racy]=0 [correct]=0)
  for configuration in debug release; do
    option=(-c "$configuration" --product MemoryProgram --scratch-path)
    swift build "${option[@]}" "$folder-$configuration" >&2
    swift build "${option[@]}" "$folder-$configuration-sanitized" --sanitize=thread >&2
    titles+=("ThreadSanitizer, $configuration" "Interlock, $configuration")
    commands+=("$folder-$configuration-sanitized/$configuration/MemoryProgram"
      "$folder-$configuration/$configuration/MemoryProgram --check")
  done
  printf '%s\n' "runs with a report, of $runs each; the columns are:"
  printf '  %s\n' "${titles[@]}"
  while read -r kind name; do
    [[ $name == *"$rows"* ]] || continue
    cells=
    count[$kind]=$((count[$kind] + runs))
    for column in "${!commands[@]}"; do
      hits=0
      for ((run = 0; run < runs; run++)); do
        code=0
        # shellcheck disable=SC2086 # The second word is an option.
        SWIFT_BACKTRACE=enable=no timeout 120 ${commands[column]} "$name" < /dev/null > /dev/null 2>&1 || code=$?
        case $code in
          0) ;;
          66) hits=$((hits + 1)) ;;
          *) failed+=("not judged: ${titles[column]}, $name ended with $code") ;;
        esac
      done
      [ "$kind" = racy ] && found[column]=$((${found[column]:-0} + hits))
      [ "$kind" = correct ] && false_reports[column]=$((${false_reports[column]:-0} + hits))
      cells+=$(printf '%6s' "$hits")
    done
    printf '%-8s %-44s%s\n' "$kind" "$name" "$cells"
  done < <("${commands[1]%% *}")
  printf '\n%s\n' "$(date -u +%F), $(swift --version 2> /dev/null | head -1), $(nproc) processors"
  printf '\n| | runs of racy programs with a report, of %s | of correct programs, of %s |\n|---|---|---|\n' \
    "${count[racy]}" "${count[correct]}"
  for column in "${!commands[@]}"; do
    printf '| %s | %s | %s |\n' "${titles[column]}" "${found[column]:-0}" "${false_reports[column]:-0}"
  done
  if [ ${#failed[@]} -gt 0 ]; then printf '%s\n' "${failed[@]}"; fi
}

if [ -n "$is_memory" ]; then
  runs=${runs:-1}
  compare_memory
  exit 0
fi
runs=${runs:-5}

# Without debug information, because Valgrind 3.19 cannot read this compiler's.
plain=(-c release --scratch-path .build/detectors -Xlinker -S)
sanitized=(-c release --scratch-path .build/detectors-sanitized --sanitize=thread)
tool=(-c release --scratch-path .build/trait --traits SectionTracking)
swift build "${plain[@]}" --product DetectorProgram >&2
swift build "${sanitized[@]}" --product DetectorProgram >&2
swift build "${tool[@]}" --product interlock-exam >&2
swift build "${tool[@]}" --product DetectorProgram >&2
swift build --product DetectorProgram >&2
swift build --product interlock-exam >&2

export INTERLOCK_DETECTOR_RUNS=$runs
export INTERLOCK_DETECTOR_VALGRIND_RUNS=$valgrind_runs
INTERLOCK_DETECTOR_PROGRAM=$(swift build "${plain[@]}" --show-bin-path)/DetectorProgram
INTERLOCK_DETECTOR_SANITIZED_PROGRAM=$(swift build "${sanitized[@]}" --show-bin-path)/DetectorProgram
tool_folder=$(swift build "${tool[@]}" --show-bin-path)
INTERLOCK_DETECTOR_MARKED_PROGRAM=$tool_folder/DetectorProgram
export INTERLOCK_DETECTOR_PROGRAM INTERLOCK_DETECTOR_SANITIZED_PROGRAM INTERLOCK_DETECTOR_MARKED_PROGRAM
tool_program=$tool_folder/interlock-exam
if [ -n "$rows" ]; then
  INTERLOCK_DETECTOR_ROWS=$rows exec "$tool_program" bench detectors
fi
"$tool_program" bench detectors slow-down
debug=$(swift build --show-bin-path)
# In a debug build both are one program, which always has its marks.
export INTERLOCK_DETECTOR_PROGRAM=$debug/DetectorProgram INTERLOCK_DETECTOR_MARKED_PROGRAM=$debug/DetectorProgram
exec "$debug/interlock-exam" bench slow-down
