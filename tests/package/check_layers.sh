#!/bin/sh
# The rooms of src/ in their order: a room includes only rooms to its left in this list.
set -eu
cd "$1/src"
layers="data core network methods proof combine forecasters run show serve research"
allowed=
bad=0
for layer in $layers; do
  allowed="$allowed $layer"
  [ -d "$layer" ] || continue
  # shellcheck disable=SC2013 # one word per include
  for other in $(sed -nE 's|^#include "([a-z_]+)/.*|\1|p' "$layer"/*.h "$layer"/*.cc 2>/dev/null | sort -u); do
    case " $allowed pcgs " in
      *" $other "*) ;;
      *) echo "src/$layer includes $other/, which is to its right"; bad=1 ;;
    esac
  done
done
for folder in */; do
  case " $layers " in
    *" ${folder%/} "*) ;;
    *) echo "src/$folder is not in the order of layers"; bad=1 ;;
  esac
done
exit $bad
