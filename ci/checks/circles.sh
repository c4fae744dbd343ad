#!/usr/bin/env bash
# Checks that the files of a C target do not call each other in circles, and define no function twice,
# by the symbols of the debug build's object files. The linker keeps one of two weak definitions, and
# says nothing. Ends with 1 if a file is in a circle, and prints the calls of the circle.
set -euo pipefail
cd "$(dirname "$0")/../.."

failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints 'circle FILE' for each file that reaches itself, and 'call FILE FILE SYMBOL' for each use
# inside a circle, from the output of 'nm -A -P'. A use of a weak function does not count: weak
# functions replace those of the system and the runtime, which files call without regard to
# Interlock.
circles() {
  awk '
    {
      file = $1
      sub(/:$/, "", file); sub(/.*\.build\//, "", file); sub(/\.o$/, "", file)
      files[file]
      if ($3 ~ /^[Uwv]$/) used[file, $2]
      else if ($3 ~ /^[TDBRCGS]$/) defined[$2] = file
    }
    END {
      for (use in used) {
        split(use, part, SUBSEP)
        if (!(part[2] in defined)) continue
        to = defined[part[2]]
        if (to == part[1]) continue
        reach[part[1], to]
        calls[part[1], to] = calls[part[1], to] " " part[2]
      }
      for (by in files) for (from in files) if ((from, by) in reach)
        for (to in files) if ((by, to) in reach) reach[from, to]
      for (file in files) if ((file, file) in reach) print "circle", file
      for (pair in calls) {
        split(pair, part, SUBSEP)
        if ((part[2], part[1]) in reach) print "call", part[1], part[2] calls[pair]
      }
    }'
}

for folder in Sources/C*/; do
  target=$(basename "$folder")
  objects=()
  while read -r source; do
    object=.build/debug/$target.build/${source#"$folder"}.o
    [ -e "$object" ] || { echo "error: no $object: run 'swift build'" >&2; exit 1; }
    objects+=("$object")
  done < <(git ls-files "$folder*.c")
  [ ${#objects[@]} -gt 0 ] || continue
  nm -A -P "${objects[@]}" > "$work/symbols"
  while read -r symbol; do
    echo "error: $target defines '$symbol' in two files" >&2
    failed=1
  done < <(awk '$3 ~ /^[TW]$/ && $2 !~ /_helper_block_/ { print $2 }' "$work/symbols" | sort | uniq -d)
  circles < "$work/symbols" | sort > "$work/found"
  awk -v target="$target" '$1 == "circle" { print target "/" $2 }' "$work/found" >> "$work/all"
  awk '$1 == "call"' "$work/found" | sed "s|^call|$target|" >> "$work/calls"
done
while IFS=/ read -r target file; do
  echo "error: $target: '$file' is in a circle of calls:" >&2
  awk -v target="$target" -v file="$file" '$1 == target && ($2 == file || $3 == file) {
    printf "  %s -> %s:", $2, $3; for (i = 4; i <= NF; i++) printf " %s", $i; print "" }
  ' "$work/calls" >&2
  failed=1
done < "$work/all"
exit "$failed"
