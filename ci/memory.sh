#!/usr/bin/env bash
# Tests a package, or runs scenarios, with the check of memory. `ci/memory.sh --help` explains it.
set -euo pipefail

help() {
  cat <<'END'
Usage: ci/memory.sh [--package FOLDER] test [ARGUMENT ...]
       ci/memory.sh [--package FOLDER] run EXECUTABLE [ARGUMENT ...]

  test               'swift test' with these arguments; the tests link the product InterlockMemory, and so does
                     every executable of the package
  run                the executable's 'run --memory on' with these arguments; it links the product InterlockStress
  --package FOLDER   the Swift package (default: the current folder)
  -h, --help         show this, and build nothing

Builds in debug, in the folder .build/memory of the package, with the option that has the compiler call a function before
each access of memory. Ends with the code of the tests (1 if 'swift test' found races) or of the run; 64 wrong usage.
END
}

usage() {
  echo "error: $1; see 'ci/memory.sh --help'" >&2
  exit 64
}

package=.
while [ $# -gt 0 ]; do
  case "$1" in
    -h | --help)
      help
      exit 0
      ;;
    --package)
      [ $# -ge 2 ] || usage "Missing value for '$1'"
      package=$2
      shift 2
      ;;
    *) break ;;
  esac
done
[ -f "$package/Package.swift" ] || usage "There is no 'Package.swift' in $(printf '%q' "$package")"
option=(--package-path "$package" --scratch-path "$package/.build/memory" -Xswiftc -Xfrontend -Xswiftc -sanitize=thread)
case "${1:-}" in
  test) exec swift test "${option[@]}" "${@:2}" ;;
  run)
    [ $# -ge 2 ] || usage "Missing name of an executable"
    swift build "${option[@]}" --product "$2" >&2
    exec "$(swift build "${option[@]}" --show-bin-path)/$2" run --memory on "${@:3}"
    ;;
  '') usage "Expected 'test' or 'run'" ;;
  *) usage "Unknown argument $(printf '%q' "$1"), expected 'test' or 'run'" ;;
esac
