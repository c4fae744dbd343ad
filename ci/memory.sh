#!/usr/bin/env bash
# Tests a package, or runs scenarios, with the check of memory. `ci/memory.sh --help` explains it.
set -euo pipefail

help() {
  cat <<'END'
Usage: ci/memory.sh [OPTION ...] test [ARGUMENT ...]
       ci/memory.sh [OPTION ...] run EXECUTABLE [ARGUMENT ...]

  test               'swift test' with these arguments; the tests link the product InterlockMemory
  run                the executable's 'run --memory on' with these arguments; it links the product InterlockStress
  --package FOLDER   the Swift package (default: the current folder)
  --without MODULE   compile this module without the option, for one that the compiler cannot build with it; its
                     accesses are not checked. May be repeated
  -h, --help         show this, and build nothing

Snippets, and other executables of the package that do not link the product, get functions that check nothing.

Builds in debug, in the folder .build/memory of the package, with the option that has the compiler call a function before
each access of memory. Ends with the code of the tests (1 if 'swift test' found races) or of the run; 64 wrong usage.
END
}

usage() {
  echo "error: $1; see 'ci/memory.sh --help'" >&2
  exit 64
}

package=.
without=()
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
    --without)
      [ $# -ge 2 ] || usage "Missing value for '$1'"
      without+=("$2")
      shift 2
      ;;
    *) break ;;
  esac
done
[ -f "$package/Package.swift" ] || usage "There is no 'Package.swift' in $(printf '%q' "$package")"
own=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(cd "$package" && pwd)/.build/memory
mkdir -p "$scratch"

# The functions that the compiler's calls refer to in an executable without the product. They are
# weak, so that the product's functions have precedence.
compiler=$(command -v swiftc)
clang=$(dirname "$(readlink -f "$compiler")")/clang
"$clang" -O2 -fPIC -I "$own/Sources/CUncheckedMemory/include" \
  -c "$own/Sources/CUncheckedMemory/unchecked.c" -o "$scratch/unchecked.o"
option=(--package-path "$package" --scratch-path "$scratch" -Xlinker "$scratch/unchecked.o")
option+=(-Xswiftc -Xfrontend -Xswiftc -sanitize=thread)

# The option applies to all modules, so a wrapper that leaves it out for some modules stands in for
# the compiler. The wrapper's path names these modules, so that the build system compiles anew after
# the list has changed.
if [ ${#without[@]} -gt 0 ]; then
  before=$scratch/$(IFS=-; echo "without-${without[*]}")/bin
  mkdir -p "$before"
  # The build system looks for the index of the tests in the folder next to the compiler's.
  ln -sfn "$(dirname "$(readlink -f "$compiler")")/../lib" "$before/../lib"
  cat >"$before/swiftc" <<'END'
#!/usr/bin/env bash
arguments=("$@")
for ((index = 0; index < $#; index++)); do
  [ "${arguments[index]}" = -module-name ] || continue
  case " $INTERLOCK_WITHOUT " in
    *" ${arguments[index + 1]} "*)
      kept=()
      for ((at = 0; at < $#; at++)); do
        if [ "${arguments[at]}" = -Xfrontend ] && [ "${arguments[at + 1]}" = -sanitize=thread ]; then
          at=$((at + 1))
        else
          kept+=("${arguments[at]}")
        fi
      done
      arguments=("${kept[@]}")
      ;;
  esac
  break
done
exec "$INTERLOCK_COMPILER" "${arguments[@]}"
END
  chmod +x "$before/swiftc"
  export INTERLOCK_WITHOUT="${without[*]}" INTERLOCK_COMPILER=$compiler SWIFT_EXEC=$before/swiftc
fi
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
