#!/usr/bin/env bash
# Measures anew what the articles print. A block of an article between
#     <!-- measured: COMMAND -->   and   <!-- end of measured -->
# is replaced by the command, today's date, the number of processors, and what the command prints.
# Arguments: the files (all that have such a block, if none is given). `--list` prints the blocks
# with their dates and runs nothing. Run it on a quiet machine; the whole takes about half an hour.
set -euo pipefail
cd "$(dirname "$0")/../.."

begin='<!-- measured: '
end='<!-- end of measured -->'

list=false
if [ "${1:-}" = --list ]; then
  list=true
  shift
fi
files=("$@")
if [ ${#files[@]} -eq 0 ]; then
  mapfile -t files < <(git grep -lF "$begin" -- '*.md')
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
outcome=0

# Writes the file with every block measured anew. If a command fails, its block stays.
measure() {
  local file=$1 line command block
  while IFS= read -r line || [ -n "$line" ]; do
    if [[ $line != "$begin"* ]]; then
      printf '%s\n' "$line"
      continue
    fi
    command=${line#"$begin"}
    command=${command%" -->"}
    block=$line$'\n'
    while IFS= read -r line; do
      block+=$line$'\n'
      [ "$line" = "$end" ] && break
    done
    if [ "$line" != "$end" ]; then
      echo "figures: $file: the block of '$command' has no end" >&2
      return 1
    fi
    echo "figures: $file: $command" >&2
    # A bench that is over a budget ends with 1, and its figures are printed all the same.
    bash -c "$command" </dev/null >"$scratch/out" 2>"$scratch/log" || [ $? -eq 1 ] || : >"$scratch/out"
    if [ ! -s "$scratch/out" ]; then
      cat "$scratch/log" >&2
      echo "figures: $file: '$command' printed nothing; its block is left as it was" >&2
      outcome=1
      printf '%s' "$block"
      continue
    fi
    printf '%s%s -->\n' "$begin" "$command"
    printf 'On %s, on %s processors, `%s` printed:\n\n```\n' "$(date -u +%F)" "$(nproc)" "$command"
    sed 's/[[:space:]]*$//' "$scratch/out"
    printf '```\n%s\n' "$end"
  done <"$file"
}

for file in "${files[@]}"; do
  if $list; then
    awk -v file="$file" '
      /^<!-- measured: / { getline printed; print file ": " printed }' "$file"
    continue
  fi
  measure "$file" >"$scratch/new"
  cat "$scratch/new" >"$file"
done
exit "$outcome"
