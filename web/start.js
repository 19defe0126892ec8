// The contents, paper, and the start.

function markPresentSection() {
  const links = [...document.querySelectorAll("nav a[href^='#']")];
  const sections = links.map((link) => document.getElementById(link.hash.slice(1)));
  let marked = null;
  const mark = () => {
    const passed = sections.filter(
      (section) => section?.getBoundingClientRect().top < innerHeight / 3,
    );
    const present = links[sections.indexOf(passed.at(-1) ?? sections[0])];
    if (!present || present === marked) return;
    marked?.removeAttribute("aria-current");
    present.setAttribute("aria-current", "true");
    present.closest("ul").scrollLeft = present.offsetLeft - innerWidth / 3;
    marked = present;
  };
  addEventListener("scroll", mark, { passive: true });
  mark();
}

// Paper is light, about 700 pixels wide, and finer than any screen.
let themeOnScreen;
addEventListener("beforeprint", () => {
  themeOnScreen = root.dataset.theme;
  root.dataset.theme = "light";
  for (const chart of charts) {
    if (!chart.plot.clientWidth) continue;
    draw(chart, Math.min(700, chart.plot.clientWidth), "svg");
    chart.drawnAs = null;
  }
});
addEventListener("afterprint", () => {
  if (themeOnScreen) root.dataset.theme = themeOnScreen;
  else delete root.dataset.theme;
  drawVisible();
});

document.querySelector("header").append(themeButton());
for (const chart of charts) {
  addTools(chart.figure, saveButton(chart, "svg"), saveButton(chart, "png"));
  chart.plot.style.minHeight = `${chart.source.height}px`; // so that little moves while drawing
}
for (const figure of document.querySelectorAll("figure.table")) {
  addTools(figure, copyButton(figure));
  figure.querySelectorAll("table").forEach(alignText);
}
for (const box of document.querySelectorAll(".window")) new TimeWindow(box);
document.querySelectorAll(".choice").forEach(enableChoice);
markPresentSection();
// Reports the first width, too, which draws the charts.
let width = 0;
new ResizeObserver(([main]) => {
  if (main.contentRect.width === width) return;
  width = main.contentRect.width;
  requestAnimationFrame(drawVisible);
}).observe(document.querySelector("main"));
