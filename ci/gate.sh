#!/usr/bin/env bash
# Replays scenarios and fails where an expectation is not met: what a CI job calls. `ci/gate.sh --help` says
# how; what is wrong with the arguments is told before anything is built.
set -euo pipefail

package=$(cd "$(dirname "$0")/.." && pwd)
product=interlock
json=interlock-results.json
arguments=()

help() {
  cat <<'END'
Usage: ci/gate.sh [--package FOLDER] [--product NAME] [--json FILE] [ARGUMENT ...] [-- ARGUMENT ...]

  --package FOLDER   the Swift package to build (default: the one that this script belongs to)
  --product NAME     the executable to run (default: interlock)
  --json FILE        where to leave the results (default: interlock-results.json in the current folder)
                     what it holds from an earlier run goes before anything is built
  -h, --help         show this, and build nothing
  ARGUMENT ...       handed to the executable's 'run': the names of scenarios, and its options --subject,
                     --repeat, --seed, --jobs, --time-limit, --verbose, --color and --scenarios; behind --
                     whatever it is

Ends with the gate's own code: 0 every expectation met; 1 one was not; 64 wrong usage; 65 a bad scenario;
70 a fault of Interlock's own, or the build failed; 130 interrupted.
END
}

# A word in one line, whatever is in it.
shown() {
  local word
  word=$(printf '%q' "$1")
  if [ "$word" = "$1" ]; then echo "'$1'"; else echo "$word"; fi
}

usage() {
  echo "error: $1; see 'ci/gate.sh --help'" >&2
  exit 64
}

while [ $# -gt 0 ]; do
  case "$1" in
    --package=* | --product=* | --json=*)
      # The same as with a space.
      set -- "${1%%=*}" "${1#*=}" "${@:2}"
      ;;
  esac
  case "$1" in
    -h | --help)
      help
      exit 0
      ;;
    --package | --product | --json)
      [ $# -ge 2 ] && [ -n "$2" ] || usage "Missing value for '$1'"
      case "$1" in
        --package) package=$2 ;;
        --product) product=$2 ;;
        --json) json=$2 ;;
      esac
      shift 2
      ;;
    --)
      shift
      arguments+=("$@")
      break
      ;;
    --subject | --repeat | --seed | --jobs | -j | --time-limit | --color | --scenarios)
      [ $# -ge 2 ] || usage "Missing value for '$1'"
      arguments+=("$1" "$2")
      shift 2
      ;;
    --subject=* | --repeat=* | --seed=* | --jobs=* | --time-limit=* | --color=* | --scenarios=* | \
      --verbose | -v | -j* | -vj*)
      arguments+=("$1")
      shift
      ;;
    -*) usage "Unknown option $(shown "$1"), expected one of the gate's or one of 'run'" ;;
    *)
      arguments+=("$1")
      shift
      ;;
  esac
done

[ -f "$package/Package.swift" ] ||
  usage "$(shown "$package") is not a Swift package: it has no Package.swift"
case "$json" in
  - | /*) ;;
  *) json=$PWD/$json ;;
esac
if [ "$json" != - ]; then
  folder=$(dirname "$json")
  if [ -d "$json" ]; then
    usage "$(shown "$json") cannot be written for '--json': it is a folder, expected a file"
  elif [ -e "$json" ]; then
    [ -w "$json" ] || usage "$(shown "$json") cannot be written for '--json'"
  elif [ ! -d "$folder" ]; then
    usage "$(shown "$json") cannot be written for '--json': its folder is not there"
  elif [ ! -w "$folder" ]; then
    usage "$(shown "$json") cannot be written for '--json': nor can its folder"
  fi
fi

# What an earlier run has left must not be taken for the results of this one, should it not come to any.
# A device or a pipe is left as it is; a link stays one, and a file that its folder keeps is emptied.
if [ "$json" != - ] && [ -f "$json" ]; then
  if [ -L "$json" ] || ! rm -f -- "$json" 2>/dev/null; then : >"$json"; fi
fi

cd "$package"
if ! swift build --product "$product" >&2; then
  echo "error: '$product' could not be built" >&2
  exit 70
fi
products=$(swift build --show-bin-path)
# Behind an empty list bash 3 takes "${arguments[@]}" for unbound.
exec "$products/$product" run --json "$json" ${arguments[@]+"${arguments[@]}"}
