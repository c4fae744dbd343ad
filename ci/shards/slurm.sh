#!/usr/bin/env bash
#SBATCH --job-name=interlock
#SBATCH --array=0-3
#SBATCH --cpus-per-task=2
#SBATCH --time=00:30:00
#SBATCH --requeue
# A job array of Slurm: each task runs the shard of its number. Submit it from the package's folder, which all nodes share:
#
#   shards=$(sbatch --parsable ci/shards/slurm.sh)
#   sbatch --dependency=afterany:$shards --wrap '.build/debug/interlock merge records --junit results.xml'
#
# A task that is queued again continues its record.
set -euo pipefail
exec ci/shards/shard.sh "${INTERLOCK:-.build/debug/interlock}" "${RECORDS:-records}" \
  "$SLURM_ARRAY_TASK_ID" "$SLURM_ARRAY_TASK_COUNT" "$@"
