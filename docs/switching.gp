# Draws what `pcgs suite --out DIR` wrote to DIR/traces/switch.csv: make picture
set terminal svg size 900,380 font "sans-serif,13" background rgb "white"
set output picture
set datafile separator ","
set multiplot layout 1,2
set key top left reverse Left samplen 2 spacing 1.1
set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror
set xlabel "round"
set linetype 1 lc rgb "#999999"
set linetype 2 lc rgb "#7570b3"
set linetype 3 lc rgb "#1f78b4"
set linetype 4 lc rgb "#e08214"
set linetype 5 lc rgb "#c51b3a"

# Sums over the rounds so far; one variable for each curve.
array total[8]
excess(i, name) = (total[i] = ($0 == 0 ? 0 : total[i]) + \
                   column("loss:" . name) - column("loss:generating_path"), total[i])
names = "hedge ml-poly fixed-share learn-alpha pcgs-tf"

set title "Loss beyond that of the changing best expert"
plot for [i=1:words(names)] curves using "round":(excess(i, word(names, i))) \
  with lines lw 2 title word(names, i)

set title "Which of the 32 experts is best"
unset key
set yrange [0:33]
plot curves using "round":"generating_path" with steps lw 2 lc rgb "#444444"
