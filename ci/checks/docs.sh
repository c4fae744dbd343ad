#!/usr/bin/env bash
# Builds each DocC catalogue with the toolchain's docc, a warning being an error, and checks that
# every relative link of the Markdown files points to a file. Writes nothing into the package. Needs
# a debug build, and makes one if there is none.
set -euo pipefail
cd "$(dirname "$0")/../.."

toolchain=$(dirname "$(readlink -f "$(command -v swift)")")
modules=$(swift build --show-bin-path)/Modules
[ -e "$modules/InterlockStress.swiftmodule" ] || swift build
triple=$("$toolchain/swift" -print-target-info |
  sed -n 's/^ *"triple": "\(.*\)",$/\1/p' | head -1)
includes=()
for folder in Sources/*/include; do includes+=(-I "$folder"); done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
outcome=0

for catalogue in Sources/*/*.docc; do
  module=$(basename "$catalogue" .docc)
  mkdir "$scratch/$module"
  # The symbols, so that an article's link to one is checked too.
  "$toolchain/swift-symbolgraph-extract" -module-name "$module" -target "$triple" \
    -I "$modules" "${includes[@]}" -minimum-access-level public -output-dir "$scratch/$module"
  if ! "$toolchain/docc" convert "$catalogue" --warnings-as-errors \
    --additional-symbol-graph-dir "$scratch/$module" --output-dir "$scratch/$module.doccarchive" \
    >"$scratch/log" 2>&1; then
    cat "$scratch/log" >&2
    echo "docs: $catalogue does not build" >&2
    outcome=1
  fi
done

while IFS= read -r file; do
  while IFS= read -r link; do
    target=${link%%#*}
    # A picture of a catalogue is found by its name; docc has checked it.
    case "$file" in *.docc/*) [ -e "${file%/*}/Resources/$target" ] && continue ;; esac
    [ -e "$(dirname "$file")/$target" ] && continue
    echo "docs: $file links to '$target', which is not there" >&2
    outcome=1
  done < <(grep -oE '\]\([^) ]+\)' "$file" | sed -E 's/^\]\((.*)\)$/\1/' | grep -vE '^(https?:|#)')
done < <(git ls-files --cached --others --exclude-standard '*.md')

[ "$outcome" -eq 0 ] && echo "docs: every catalogue builds, and every link leads to a file"
exit "$outcome"
