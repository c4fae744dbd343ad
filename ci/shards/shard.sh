#!/usr/bin/env bash
# Runs one of several shards of an executable's scenarios, and leaves its record in a folder that all shards share:
#
#   ci/shards/shard.sh EXECUTABLE FOLDER INDEX COUNT [run|explore] [ARGUMENT ...]
#
# A shard of 'explore' has its part of the orders of each pair. INDEX is counted from 0, as Kubernetes and Slurm count. A
# record that is there already is continued: an engine may start a job again after its machine was lost. Ends with 0 if every trial was judged, whatever came of it: 'merge' decides.
set -euo pipefail
[ $# -ge 4 ] || {
  echo "usage: ci/shards/shard.sh EXECUTABLE FOLDER INDEX COUNT [run|explore] [ARGUMENT ...]" >&2
  exit 64
}
executable=$1 folder=$2 index=$3 count=$4
shift 4
command=run
case "${1:-}" in run | explore) command=$1 && shift ;; esac
mkdir -p "$folder"
record=$folder/shard-$index.jsonl
if [ -s "$record" ]; then mode=--resume; else mode=--record; fi
status=0
"$executable" "$command" --shard "$((index + 1))/$count" "$mode" "$record" "$@" || status=$?
# 1 is an answer, which the record has.
[ "$status" -le 1 ] || exit "$status"
