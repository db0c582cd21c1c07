#!/usr/bin/env bash
# first_steps.sh BIN: check, score, report and demo of an installed clausewise, outside of the clone.
set -euo pipefail
bin="$(cd "$1" && pwd)"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
export CLAUSEWISE_CACHE_DIR="$folder/cache" XDG_DATA_HOME="$folder/data"
unset PYTHONPATH
cd "$folder"

# expect CODE COMMAND...: exit code 1 says that something was found.
expect() {
  local wanted="$1" code=0
  shift
  "$@" >"$folder/now" 2>"$folder/err" || code=$?
  mv "$folder/now" "$folder/out"
  [ "$code" -eq "$wanted" ] && return
  cat "$folder/out" "$folder/err" >&2
  echo "$* ended with $code, not $wanted" >&2
  exit 1
}

sample="$("$bin/python" -c 'from clausewise.datasets import sample_dir; print(sample_dir())')"
case "$sample" in "$(dirname "$bin")"/*) ;; *) echo "not the installed package: $sample" >&2; exit 1 ;; esac

expect 1 "$bin/clausewise" check --db "$sample/databases/clinic/clinic.sqlite" \
  --question "How many patients are male?" --sql "SELECT COUNT(*) FROM patients WHERE gender = 'Male'"
grep -q empty_predicate out || { echo "no finding" >&2; exit 1; }
expect 1 "$bin/clausewise" score "$sample/cases.jsonl" --databases "$sample/databases" --out scores.jsonl
expect 0 test "$(wc -l <scores.jsonl)" -eq "$(wc -l <"$sample/cases.jsonl")"
for format in html markdown sarif json; do
  expect 1 "$bin/clausewise" report scores.jsonl --format "$format" --out "report.$format"
  expect 0 test -s "report.$format"
done
expect 0 "$bin/clausewise" demo
echo "first steps with $bin: fine"
