#!/usr/bin/env bash
# Runs `check` and `lock check` for the action: annotations to stdout, the job's summary, a SARIF file each.
# Each command asks the server once, and shows that one result in all forms. Tells the worse exit code, and exits 0.
set -euo pipefail

out="$RUNNER_TEMP/diagnose-reports"
rm -rf "$out"
mkdir -p "$out"

# Bash 3.2, which macOS has, takes an empty array for an unset one: hence the ${a[@]+...} below.
read -r -a more <<<"$ARGUMENTS"
read -r -a server <<<"$SERVER_COMMAND"
asked=()
if [ -n "$TARGET" ]; then asked+=("$TARGET"); fi
if [ "${#server[@]}" -gt 0 ]; then asked+=(-- "${server[@]}"); fi

# Of two exit codes, the one that goes first (diagnose explain CODE).
worse() {
  for code in 130 70 2 4 1 3 0; do
    if [ "$1" -eq "$code" ] || [ "$2" -eq "$code" ]; then
      echo "$code"
      return
    fi
  done
}

worst=0
run() {
  local name="$1" code=0
  shift
  "$DIAGNOSE" "$@" --format github --also "sarif=$out/$name.sarif" --also "markdown=$out/$name.md" \
    ${more[@]+"${more[@]}"} ${asked[@]+"${asked[@]}"} || code=$?
  # What is no code of ours (a program that was killed) is a fault.
  case "$code" in 0 | 1 | 2 | 3 | 4 | 70 | 130) ;; *) code=70 ;; esac
  if [ -e "$out/$name.md" ]; then cat "$out/$name.md" >>"$GITHUB_STEP_SUMMARY"; fi
  if [ -e "$out/$name.sarif" ]; then echo "$name=$out/$name.sarif" >>"$GITHUB_OUTPUT"; fi
  worst="$(worse "$worst" "$code")"
}

if [ "$CHECK" = true ]; then run check check --fail-on "$CHECK_FAIL_ON"; fi
if [ -e "$LOCK" ]; then
  run lock lock check --lock "$LOCK" --fail-on "$FAIL_ON"
else
  echo "::notice title=diagnose::There is no $LOCK, so the list is held to nothing: diagnose lock write makes one."
  if [ "$CHECK" != true ]; then worst=2; fi
fi
echo "exit-code=$worst" >>"$GITHUB_OUTPUT"
