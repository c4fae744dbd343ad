#!/usr/bin/env bash
# Shows that marks leave no trace in a release build without the trait SectionTracking: the machine
# code of marked functions equals that of the same functions without marks. (`suspended` is compiled
# and not compared: an async body is a separate coroutine in either file.)
set -euo pipefail
cd "$(dirname "$0")/../.."

scratch=${1:-.build}
work=$(mktemp -d "${TMPDIR:-/tmp}/interlock-release-XXXXXX")
trap 'rm -rf "$work"' EXIT

swift build -c release --scratch-path "$scratch" --target Interlock
products=$(swift build -c release --scratch-path "$scratch" --show-bin-path)
objdump=$(command -v llvm-objdump || command -v objdump)

# The instructions of one function: addresses, offsets into data and the names of locals are not
# code.
instructions() {
  "$objdump" -d --no-show-raw-insn "$1" |
    awk -v name="$2" '
      /^[0-9a-f]+ <.*>:$/ { inside = index($0, name) > 0; next }
      inside && NF { sub(/^ *[0-9a-f]+: */, ""); gsub(/(0x)?[0-9a-f]+ </, "<"); print }'
}

for file in marked unmarked; do
  swiftc -O -swift-version 6 -parse-as-library -module-name Marks -I "$products/Modules" \
    -Xcc "-fmodule-map-file=$PWD/Sources/CMarks/include/module.modulemap" \
    -c "ci/checks/release/$file.swift" -o "$work/$file.o"
done

failed=0
compared=0
for function in named computed closures apart spelled tracked parts witnessed; do
  # A Swift symbol holds the function's name behind its length: $s5Marks7CounterC5named...
  symbol="CounterC${#function}$function"
  instructions "$work/marked.o" "$symbol" >"$work/marked.txt"
  instructions "$work/unmarked.o" "$symbol" >"$work/unmarked.txt"
  if [ ! -s "$work/unmarked.txt" ]; then
    echo "release-is-free: no code found for $function: the check itself is broken" >&2
    exit 70
  fi
  if diff -u "$work/unmarked.txt" "$work/marked.txt" >"$work/diff.txt"; then
    compared=$((compared + 1))
  else
    echo "release-is-free: the marks leave code in '$function':" >&2
    cat "$work/diff.txt" >&2
    failed=1
  fi
done
[ "$failed" -eq 0 ] && echo "release-is-free: $compared functions are the same with and without marks"
exit "$failed"
