#!/usr/bin/env bash
# scripts/adapters-test refuses a wheel that is older than any file that is compiled into one, and goes on
# with one that is not. Its Python is a stand-in, which ends where a virtual environment would be made.
#   check_stale_wheel.sh <project> <scratch folder>
set -euo pipefail
project=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"/{scripts,dist,src/core,include,python/src}
cp "$project/scripts/adapters-test" "$scratch/scripts"
printf '#!/bin/sh\n[ "$1" != -c ] || exec echo 399\necho it went on\nexit 7\n' > "$scratch/python3"
chmod +x "$scratch/python3"
wheel=dist/pcgs-1-cp399-cp399-any.whl
touch -d 2020-01-02 "$scratch/$wheel"

expect() {
  local status=0
  PYTHON=$scratch/python3 "$scratch/scripts/adapters-test" nixtla > "$scratch/said" 2>&1 || status=$?
  if [ "$status" != "$1" ] || ! grep -qF "$2" "$scratch/said"; then
    echo "exit status $status in place of $1, or not a word of: $2" >&2
    cat "$scratch/said" >&2
    exit 1
  fi
}

for file in src/core/a.cc include/a.h python/src/a.cc; do
  touch -d 2020-01-01 "$scratch/$file"
  expect 7 "it went on"
  touch -d 2020-01-03 "$scratch/$file"
  expect 1 "$wheel is older than $file"
  rm "$scratch/$file"
done
