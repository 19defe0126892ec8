#!/bin/sh
# include/pcgs stands on its own: pcgs.h includes every other header there, and none of them includes a
# header of src/.
set -eu
cd "$1/include"
bad=0
for header in pcgs/*.h; do
  [ "$header" = pcgs/pcgs.h ] || grep -q "^#include \"$header\"$" pcgs/pcgs.h ||
    { echo "pcgs/pcgs.h does not include $header"; bad=1; }
  for other in $(sed -nE 's|^#include "(.*)"$|\1|p' "$header"); do
    [ -f "$other" ] || { echo "include/$header includes $other, which is not installed"; bad=1; }
  done
done
exit $bad
