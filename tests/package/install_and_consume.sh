#!/bin/sh
# install_and_consume.sh BUILD_DIR CONSUMER_SOURCE SCRATCH CXX CXX_FLAGS
set -eu
rm -rf "$3"
cmake --install "$1" --prefix "$3/prefix" >/dev/null
cmake -G Ninja -S "$2" -B "$3/build" -DCMAKE_PREFIX_PATH="$3/prefix" -DCMAKE_CXX_COMPILER="$4" \
  -DCMAKE_CXX_FLAGS="$5" >/dev/null
cmake --build "$3/build"
"$3/build/consumer"
"$3/prefix/bin/pcgs" --version
