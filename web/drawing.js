// Draws the charts that can be seen.

const charts = [...document.querySelectorAll("figure.chart")].map((figure) => ({
  figure,
  plot: figure.querySelector(".plot"),
  title: figure.querySelector("h3")?.textContent ?? figure.id,
  source: JSON.parse(figure.querySelector("script[type='application/json']").textContent),
  window: null, // the time window it belongs to, if any
  view: null,
  drawnAs: null, // theme and width of the present drawing
}));

// A view of the chart, `width` pixels wide, that is computed but not shown. What stands
// beside the plots of charts that do not fit themselves is known only after a first try.
function computedView(chart, width, change = {}) {
  let fits;
  const compute = (margin) => {
    const whole = { ...specification(chart, width, margin), ...change };
    fits = fitsItself(whole);
    // For whoever wants to know what is drawn, as the tests do.
    chart.figure.dispatchEvent(new CustomEvent("specified", { bubbles: true, detail: whole }));
    return new vega.View(vega.parse(vegaLite.compile(whole).spec), { logLevel: vega.Warn }).run();
  };
  let margin = 0;
  let view = compute(margin);
  const overflow = () => {
    const { left, right } = view.padding();
    return Math.ceil(view.scenegraph().root.bounds.width()) + left + right - width;
  };
  for (let tries = 0; tries < 3 && !fits && overflow() > 0; ++tries) {
    margin += overflow();
    view.finalize();
    view = compute(margin);
  }
  return view;
}

function draw(chart, width, renderer = chart.source.renderer ?? "svg") {
  const { figure, plot } = chart;
  chart.view?.finalize();
  chart.view = null;
  figure.classList.remove("failed");
  figure.querySelector(".error")?.remove();
  try {
    const drawing = element("div");
    const view = computedView(chart, width);
    view.tooltip(showTooltip).renderer(renderer).initialize(drawing).hover().run();
    plot.replaceChildren(drawing);
    chart.view = view;
    chart.window?.drew(chart);
  } catch (error) {
    console.error(`Chart ${figure.id}:`, error);
    figure.classList.add("failed");
    plot.after(element("p", { className: "error", textContent: `Not drawn: ${error.message}` }));
  }
}

const afterPainting = () =>
  new Promise((done) =>
    document.hidden ? setTimeout(done) : requestAnimationFrame(() => setTimeout(done)),
  );

// Draws each visible chart that is not drawn in the present theme and width, top to bottom,
// letting the browser paint in between. A later call takes over from an earlier one.
let latestRound = 0;
async function drawVisible() {
  const round = ++latestRound;
  delete root.dataset.drawn;
  for (const chart of charts) {
    const width = chart.plot.clientWidth; // 0 where hidden
    const drawnAs = `${theme()} ${width}`;
    if (!width) continue;
    if (chart.drawnAs === drawnAs) {
      chart.window?.moveChart(chart); // it may have moved while the chart was hidden
      continue;
    }
    chart.drawnAs = drawnAs;
    draw(chart, width);
    await afterPainting();
    if (round !== latestRound) return;
  }
  root.dataset.drawn = "yes";
}
