# Draws what `pcgs demo --out DIR` wrote: make picture
set terminal svg size 900,380 font "sans-serif,13" background rgb "white"
set output picture
set datafile separator ","
set multiplot layout 1,2
set key top left reverse Left samplen 2 spacing 1.1
set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror
set xlabel "round"

set title "Loss beyond that of the changing best expert"
plot for [m in "hedge ml-poly variable-share fixed-share learn-alpha"] \
  curves using "round":m with lines lw 2 title m

set title "Which of the 32 experts is best"
unset key
set yrange [0:33]
plot curves using "round":"winner" with steps lw 2 lc rgb "#444444"
