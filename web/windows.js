// Time windows.

// One stretch of a run's rounds, or of the calendar that they stand on, chosen by a brush over the
// overview or by two sliders, shown by all charts that name the window.
class TimeWindow {
  constructor(box) {
    this.first = Number(box.dataset.first);
    this.last = Number(box.dataset.last);
    this.from = this.first;
    this.to = this.last;
    this.overview = null;
    this.linked = [];
    for (const chart of charts) {
      if (chart.figure.dataset.window === box.id) this.linked.push(chart);
      else if (box.contains(chart.figure)) this.overview = chart;
      else continue;
      chart.window = this;
    }
    this.calendar = this.overview.source.calendar;
    const what = this.calendar ? "" : " round";
    this.sliders = { from: this.slider("From" + what), to: this.slider("To" + what) };
    // An end stops at the other: a window has at least two rounds.
    this.sliders.from.addEventListener("input", (event) => {
      this.show(Math.min(event.target.valueAsNumber, this.to - 1), this.to, true);
    });
    this.sliders.to.addEventListener("input", (event) => {
      this.show(this.from, Math.max(event.target.valueAsNumber, this.from + 1), true);
    });
    const whole = element("button", { type: "button", textContent: "Whole run" });
    whole.addEventListener("click", () => this.show(this.first, this.last, true));
    const labels = Object.values(this.sliders).map((slider) => slider.parentElement);
    const className = this.calendar ? "range dates" : "range";
    box.append(element("div", { className }, ...labels, whole));
    this.showNumbers();
  }

  slider(name) {
    const slider = element("input", { type: "range", min: this.first, max: this.last, step: 1 });
    element("label", {}, element("span", { textContent: name }), element("b"), slider);
    return slider;
  }

  showNumbers() {
    for (const end of ["from", "to"]) {
      const slider = this.sliders[end];
      slider.value = this[end];
      const text = this.calendar
        ? dateText(this.calendar, this[end])
        : this[end].toLocaleString("en");
      slider.previousElementSibling.textContent = text;
      if (this.calendar) slider.setAttribute("aria-valuetext", text);
    }
  }

  show(from, to, moveBrush) {
    const same = from === this.from && to === this.to;
    this.from = Math.max(this.first, from);
    this.to = Math.min(this.last, to);
    this.showNumbers();
    if (moveBrush) this.moveBrush();
    if (same || this.waiting) return;
    this.waiting = true; // one redrawing a frame is enough, however fast the brush moves
    requestAnimationFrame(() => {
      this.waiting = false;
      for (const chart of this.linked) if (chart.plot.clientWidth) this.moveChart(chart);
    });
  }

  // Where the axes of charts have a round.
  onAxis(round) {
    return this.calendar ? instant(this.calendar, round) : round;
  }

  moveChart({ view, figure }) {
    view?.signal("from", this.onAxis(this.from)).signal("to", this.onAxis(this.to)).run();
    figure.dataset.from = this.from;
    figure.dataset.to = this.to;
  }

  // Vega-Lite keeps the brush's extent in pixels in the signal brush_x.
  moveBrush() {
    const view = this.overview?.view;
    if (!view) return;
    const whole = this.from === this.first && this.to === this.last;
    const x = view.scale("x");
    this.movingBrush = true;
    const ends = [this.from, this.to].map((end) => x(this.onAxis(end)));
    view.signal("brush_x", whole ? [0, 0] : ends).run();
    this.movingBrush = false;
  }

  // An empty brush stands for the whole run.
  brushed(extent) {
    if (this.movingBrush) return;
    const round = (x) => (this.calendar ? unitsAt(this.calendar, Number(x)) : Math.round(x));
    const [from, to] = extent?.map(round) ?? [this.first, this.last];
    this.show(Math.min(from, to - 1), to, false);
  }

  drew(chart) {
    if (chart !== this.overview) return this.moveChart(chart);
    this.moveBrush();
    chart.view.addSignalListener("brush", (name, value) => this.brushed(value.round));
  }
}
