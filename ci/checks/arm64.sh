#!/usr/bin/env bash
# Compiles every C source file of the package for arm64 Linux with the arguments that Package.swift
# gives it: in debug, and in release with the trait UnseenCalls. A warning is an error. Ends with 1 if
# a file does not compile, or if no source file includes a header. Links and runs nothing.
#
# Needs Debian's headers for arm64, and installs them by apt-get if they are missing.
set -euo pipefail
cd "$(dirname "$0")/../.."

root=/usr/aarch64-linux-gnu
headers=(libc6-dev-arm64-cross linux-libc-dev-arm64-cross)
if [ ! -f "$root/include/stdio.h" ] || [ ! -f "$root/include/linux/futex.h" ]; then
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${headers[@]}"; } >&2
fi

# Includes the targets of ci/checks/fuzz.sh.
export INTERLOCK_FUZZ=1
scratch=$PWD/.build/arm64
# The lists of an earlier run may name a header that no file includes any more.
rm -rf "$scratch"
mkdir -p "$scratch"
options=(--triple aarch64-unknown-linux-gnu --scratch-path "$scratch" --disable-index-store)
for argument in -Wall -Werror --sysroot="$root" -isystem "$root/include"; do
  options+=(-Xcc "$argument")
done

failed=0
compiled=0
# compile CONFIGURATION TARGET FOLDER OPTION…: compiles the C files whose paths begin with FOLDER.
compile() {
  local configuration=$1 target=$2 folder=$3 log commands
  shift 3
  # Builds the smallest target, and writes the commands of all targets.
  if ! log=$(swift build "${options[@]}" -c "$configuration" --target "$target" "$@" 2>&1); then
    echo "$log" >&2
    exit 70
  fi
  # Each command is a list of strings: without the brackets and commas, a line for the shell.
  commands=$(sed -nE '\|"-c","'"$PWD/$folder"'[^"]*\.c"|s/^ *args: \[(.*)\]$/\1/p' \
    "$scratch/$configuration.yaml")
  compiled=$((compiled + $(grep -c . <<< "$commands" || true)))
  grep -oE '"-o","[^"]*/' <<< "$commands" | cut -d'"' -f4 | sort -u | xargs mkdir -p
  sed 's/","/" "/g' <<< "$commands" |
    xargs -d '\n' -P "$(nproc)" -n 1 bash -c 'eval "$1"' compile || failed=1
}
compile debug CUncheckedMemory ''
compile release CUncheckedMemory '' --traits UnseenCalls
compile debug CPriority StressScenarios/ --package-path StressScenarios/KnownBugs

# A header with an error is found by a source file that includes it.
read_files=$(find "$scratch" -name '*.d' -exec cat {} + | tr -s ' \\' '\n\n' | sort -u | grep '^/' |
  xargs realpath --relative-to=.)
files=$(git ls-files '*.c' '*.h')
for file in $files; do
  if ! grep -qxF "$file" <<< "$read_files"; then
    echo "error: $file: not compiled for arm64" >&2
    failed=1
  fi
done
echo "arm64: $compiled compilations, $(wc -w <<< "$files") C files and headers"
exit "$failed"
