#!/usr/bin/env bash
# Replays scenarios for a CI job, and fails if an expectation is not met. `ci/gate.sh --help`
# explains it; wrong arguments are reported before anything is built.
set -euo pipefail

package=$(cd "$(dirname "$0")/.." && pwd)
product=interlock
json=interlock-results.json
arguments=()
# Where the names and paths of scenarios are in the arguments.
positions=()

help() {
  cat <<'END'
Usage: ci/gate.sh [--package FOLDER] [--product NAME] [--json FILE] [ARGUMENT ...] [-- ARGUMENT ...]

  --package FOLDER   the Swift package to build (default: the one that this script belongs to)
  --product NAME     the executable to run (default: interlock)
  --json FILE        where to leave the results (default: interlock-results.json in the current folder)
                     what it holds from an earlier run goes before anything is built
  -h, --help         show this, and build nothing
  ARGUMENT ...       handed to the executable's 'run': names and paths of scenarios, and every option
                     that 'run' has (see 'interlock help run'); behind -- whatever it is.
                     A FILE is looked for from the current folder; a scenario's path from the package's,
                     then from the current one

Ends with the gate's own code: 0 every expectation met; 1 one was not; 4 nothing selected; 64 wrong usage;
65 a bad scenario or baseline; 70 a fault of Interlock's own, or the build failed; 130 interrupted.
END
}

# Shows a word in one line, whatever it contains.
shown() {
  local word
  word=$(printf '%q' "$1")
  if [ "$word" = "$1" ]; then echo "'$1'"; else echo "$word"; fi
}

usage() {
  echo "error: $1; see 'ci/gate.sh --help'" >&2
  exit 64
}

# The line of an option in the help of 'run', which a test keeps as it is: `-j, --jobs <n>`. Nothing
# where 'run' has no such option, or none that tries anything.
run_help=$(cd "$(dirname "$0")/.." && pwd)/Tests/InterlockStressTests/Goldens/help-run.txt
option() {
  grep -E -m 1 -e "^  (-., )?$1( |\$)" "$run_help" | grep -vE -e '--(help|version) '
}

# An option's value as 'run' finds it from the package's folder.
value() {
  case "$1" in
    *'<file>'*) case "$2" in - | /*) echo "$2" ;; *) echo "$PWD/$2" ;; esac ;;
    *) echo "$2" ;;
  esac
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
    --*)
      known=
      [[ ${1%%=*} =~ ^--[a-z-]+$ ]] && known=$(option "${1%%=*}") ||
        usage "Unknown option $(shown "$1"), expected one of the gate's or one of 'run'"
      case "$1/$known" in
        *=*/*'<'*) arguments+=("${1%%=*}=$(value "$known" "${1#*=}")") ;;
        *=*/*) usage "The option '${1%%=*}' takes no value" ;;
        */*'<'*)
          [ $# -ge 2 ] || usage "Missing value for '$1'"
          arguments+=("$1" "$(value "$known" "$2")")
          shift
          ;;
        *) arguments+=("$1") ;;
      esac
      shift
      ;;
    -?*)
      # -v, -j4, -j 4, -vj4
      letters=${1#-}
      arguments+=("$1")
      while [ -n "$letters" ]; do
        known=
        [[ $letters =~ ^[a-zA-Z] ]] &&
          known=$(grep -E -m 1 -e "^  -${letters:0:1}, " "$run_help" | grep -vE -e '--(help|version) ') ||
          usage "Unknown option $(shown "$1"), expected one of the gate's or one of 'run'"
        letters=${letters:1}
        case "$known" in
          *'<'*)
            if [ -z "$letters" ]; then
              [ $# -ge 2 ] || usage "Missing value for '$1'"
              arguments+=("$2")
              shift
            fi
            break
            ;;
        esac
      done
      shift
      ;;
    *)
      positions+=("${#arguments[@]}")
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
for position in ${positions[@]+"${positions[@]}"}; do
  case "${arguments[$position]}" in
    /*) ;;
    */* | *.json)
      if [ ! -e "$package/${arguments[$position]}" ] && [ -e "${arguments[$position]}" ]; then
        arguments[$position]=$PWD/${arguments[$position]}
      fi
      ;;
  esac
done
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

# Removes the results of an earlier run, which could be mistaken for the results of this run if it
# writes none. Leaves a device or a pipe as it is; empties a link's file, and a file that cannot be
# removed from its folder.
if [ "$json" != - ] && [ -f "$json" ]; then
  if [ -L "$json" ] || ! rm -f -- "$json" 2>/dev/null; then : >"$json"; fi
fi

cd "$package"
if ! swift build --product "$product" >&2; then
  echo "error: '$product' could not be built" >&2
  exit 70
fi
products=$(swift build --show-bin-path)
# Bash 3 treats "${arguments[@]}" of an empty list as unbound.
exec "$products/$product" run --json "$json" ${arguments[@]+"${arguments[@]}"}
