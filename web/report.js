// The report page's script: draws the Vega-Lite charts that the program wrote into the page, ties
// the charts of a run to its time window, and adds the buttons. Text and tables need none of it.
// What comes from data is only ever set as text, never as markup.
"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("scripted");

  function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  // Says what happened to those who cannot see it.
  const status = element("p", { className: "unseen", role: "status" });
  document.body.append(status);

  // --- Colours -----------------------------------------------------------------------------------

  const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
  const theme = () => root.dataset.theme ?? (systemIsDark.matches ? "dark" : "light");

  // The style sheet declares the colours; the charts take them from there.
  function colours() {
    const style = getComputedStyle(root);
    const names = ["paper", "ink", "soft", "faint", "hair", "accent"];
    return Object.fromEntries(names.map((name) => [name, style.getPropertyValue("--" + name)]));
  }

  function themeButton() {
    const button = element("button", { className: "theme", type: "button" });
    const other = () => (theme() === "dark" ? "light" : "dark");
    const label = () => {
      button.textContent = other() === "dark" ? "Dark" : "Light";
      button.setAttribute("aria-label", `Switch to ${other()} colours`);
    };
    button.addEventListener("click", () => {
      root.dataset.theme = other();
      label();
      drawVisible();
    });
    systemIsDark.addEventListener("change", () => {
      label();
      drawVisible();
    });
    label();
    return button;
  }

  // --- Charts ------------------------------------------------------------------------------------

  const charts = [...document.querySelectorAll("figure.chart")].map((figure) => ({
    figure,
    plot: figure.querySelector(".plot"),
    title: figure.querySelector("h3")?.textContent ?? figure.id,
    source: JSON.parse(figure.querySelector("script[type='application/json']").textContent),
    window: null, // the time window it belongs to, if any
    view: null,
    drawnAs: null, // theme and width of the present drawing
  }));

  // In a group, arrays are columns, and anything else is the same in each row.
  function rowsOf(groups) {
    return groups.flatMap((group) => {
      const columns = Object.entries(group);
      const length = columns.find(([, values]) => Array.isArray(values))?.[1].length ?? 1;
      const at = (values, row) => (Array.isArray(values) ? values[row] : values);
      return Array.from({ length }, (_, row) =>
        Object.fromEntries(columns.map(([name, values]) => [name, at(values, row)])),
      );
    });
  }

  const facetSpacing = 28;

  // What the configuration has to know of a specification: the names in its legends, and whether
  // names stand down its side, so that it is read along horizontal lines.
  function traitsOf(spec) {
    const traits = { names: [], namesDownTheSide: false };
    JSON.stringify(spec, (key, value) => {
      if (key === "domain" && Array.isArray(value)) traits.names.push(...value);
      if (key === "y" && value.type === "nominal") traits.namesDownTheSide = true;
      return value;
    });
    return traits;
  }

  const pen = document.createElement("canvas").getContext("2d");
  function widestOf(names, font) {
    pen.font = font;
    return Math.max(0, ...names.map((name) => pen.measureText(name).width));
  }

  // `width` is that of the whole chart, `plotWidth` that of one of its plots.
  function configuration(spec, colour, width, plotWidth) {
    const font = getComputedStyle(document.body).fontFamily;
    const { names, namesDownTheSide } = traitsOf(spec);
    const legendLimit = Math.min(240, width / 2 - 50);
    const legendEntry = 44 + Math.min(legendLimit, Math.max(40, widestOf(names, `12px ${font}`)));
    const quiet = { titleColor: colour.soft, titleFontSize: 12, titleFontWeight: "normal" };
    return {
      aria: false, // the plot element has the text alternative
      background: colour.paper,
      font,
      padding: { left: 0, right: namesDownTheSide ? 8 : 0, top: 4, bottom: 4 }, // room for dots
      view: { stroke: null },
      axis: {
        ...quiet,
        labelColor: colour.soft,
        labelFontSize: 12,
        labelPadding: 6,
        labelLimit: Math.min(180, width * 0.4),
        gridColor: colour.hair,
        domainColor: colour.faint,
        tickColor: colour.faint,
        ticks: false,
      },
      axisX: { grid: false, labelFlush: true, titlePadding: 8 },
      axisXQuantitative: {
        ticks: !namesDownTheSide,
        domain: !namesDownTheSide,
        grid: namesDownTheSide,
        tickCount: Math.max(3, Math.round(plotWidth / 110)),
      },
      axisYQuantitative: { domain: false, tickCount: 5 },
      axisYDiscrete: { grid: false, domain: false },
      // The title stands above its axis, level: that reads easily and keeps narrow screens wide.
      axisY: { titleAngle: 0, titleAlign: "left", titleX: 0, titleY: -9, titleBaseline: "bottom" },
      legend: {
        ...quiet,
        orient: "top",
        direction: "horizontal",
        layout: { top: { direction: "vertical", margin: 8 } }, // one legend below the other
        columns: Math.max(1, Math.floor(width / legendEntry)),
        offset: namesDownTheSide ? 16 : 32, // room for the title of the vertical axis
        columnPadding: 18,
        rowPadding: 4,
        labelColor: colour.ink,
        labelFontSize: 12,
        labelLimit: legendLimit,
        symbolSize: 110,
        symbolStrokeWidth: 2.5,
        gradientLength: Math.min(200, width / 2),
        gradientThickness: 10,
      },
      header: {
        ...quiet,
        labelColor: colour.ink,
        labelFontSize: 13,
        labelFontWeight: 600,
        labelAnchor: "start",
        labelPadding: 8,
        labelLimit: plotWidth,
      },
      title: {
        color: colour.ink,
        fontSize: 17,
        fontWeight: 600,
        anchor: "start",
        frame: "bounds",
        offset: 18,
        limit: width,
      },
      facet: { spacing: facetSpacing },
      line: { strokeWidth: 1.75, strokeJoin: "round", strokeCap: "round" },
      rule: { color: colour.faint },
      text: { color: colour.ink, fontSize: 11 },
      selection: {
        interval: { mark: { fill: colour.accent, fillOpacity: 0.14, stroke: colour.accent } },
      },
    };
  }

  // Vega fits single plots into a width, but neither facets nor plots with a height in steps.
  const fitsItself = (spec) => !spec.spec && typeof spec.height !== "object";

  // How many columns facets and legends have depends on the screen: the page decides.
  const withoutColumns = (spec) =>
    JSON.parse(JSON.stringify(spec, (key, value) => (key === "columns" ? undefined : value)));

  // The chart's whole Vega-Lite specification, `width` pixels wide, of which `margin` stands beside
  // the plots.
  function specification({ source, window }, width, margin) {
    const colour = colours();
    const spec = withoutColumns(source.spec);
    spec.data = { name: "table", values: rowsOf(source.groups) };
    spec.datasets = {};
    for (const name in source.datasets) spec.datasets[name] = rowsOf(source.datasets[name]);

    const present = { ...colour, ...(window && { from: window.from, to: window.to }) };
    spec.params = (spec.params ?? []).filter((param) => !(param.name in present));
    for (const name in present) spec.params.push({ name, value: present[name] });

    let plotWidth = width - margin;
    if (spec.spec) {
      const names = spec.repeat ?? spec.data.values.map((row) => row[spec.facet.field]);
      const least = (spec.usermeta?.facetWidth ?? 240) + facetSpacing;
      const fitting = Math.floor((plotWidth + facetSpacing) / least);
      spec.columns = Math.max(1, Math.min(new Set(names).size, fitting));
      plotWidth = Math.floor((plotWidth + facetSpacing) / spec.columns) - facetSpacing;
    }
    const plot = spec.spec ?? spec;
    plot.width = plotWidth;
    if (source.height) plot.height = source.height;
    if (fitsItself(spec)) spec.autosize = { type: "fit-x", contains: "padding" };
    spec.config = configuration(source.spec, colour, width, plotWidth);
    return spec;
  }

  // A view of the chart, `width` pixels wide, that is computed but not shown. What stands
  // beside the plots of charts that do not fit themselves is known only after a first try.
  function computedView(chart, width, change = {}) {
    const compute = (margin) => {
      const { spec } = vegaLite.compile({ ...specification(chart, width, margin), ...change });
      return new vega.View(vega.parse(spec), { logLevel: vega.Warn }).run();
    };
    let margin = 0;
    let view = compute(margin);
    const overflow = () => {
      const { left, right } = view.padding();
      return Math.ceil(view.scenegraph().root.bounds.width()) + left + right - width;
    };
    for (let tries = 0; tries < 3 && !fitsItself(chart.source.spec) && overflow() > 0; ++tries) {
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

  // --- Tooltip -----------------------------------------------------------------------------------

  const tooltip = element("div", { className: "tooltip", hidden: true });
  tooltip.setAttribute("aria-hidden", "true");
  document.body.append(tooltip);
  addEventListener("scroll", () => (tooltip.hidden = true), { passive: true, capture: true });

  // Specifications that care set a format; an unformatted number comes with all its digits.
  function shortened(value) {
    const text = String(value);
    return /^[-−]?\d+\.\d{6,}$/.test(text)
      ? String(+Number(text.replace("−", "-")).toPrecision(5))
      : text;
  }

  function showTooltip(handler, event, item, value) {
    tooltip.hidden = value == null || value === "";
    if (tooltip.hidden) return;
    const entries = typeof value === "object" ? Object.entries(value) : [["", value]];
    const list = element("dl");
    for (const [name, content] of entries) {
      list.append(
        element("dt", { textContent: name }),
        element("dd", { textContent: shortened(content) }),
      );
    }
    tooltip.replaceChildren(list);
    const gap = 14;
    const { width, height } = tooltip.getBoundingClientRect();
    const left =
      event.clientX + gap + width < innerWidth ? event.clientX + gap : event.clientX - gap - width;
    const top =
      event.clientY + gap + height < innerHeight
        ? event.clientY + gap
        : event.clientY - gap - height;
    tooltip.style.translate = `${Math.max(4, left)}px ${Math.max(4, top)}px`;
  }

  // --- Time windows ------------------------------------------------------------------------------

  // One stretch of a run's rounds, chosen by a brush over the overview or by two sliders, shown by
  // all charts that name the window.
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
      this.sliders = { from: this.slider("From round"), to: this.slider("To round") };
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
      box.append(element("div", { className: "range" }, ...labels, whole));
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
        slider.previousElementSibling.textContent = this[end].toLocaleString("en");
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

    moveChart({ view, figure }) {
      view?.signal("from", this.from).signal("to", this.to).run();
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
      view.signal("brush_x", whole ? [0, 0] : [x(this.from), x(this.to)]).run();
      this.movingBrush = false;
    }

    // An empty brush stands for the whole run.
    brushed(rounds) {
      if (this.movingBrush) return;
      const [from, to] = rounds?.map(Math.round) ?? [this.first, this.last];
      this.show(Math.min(from, to - 1), to, false);
    }

    drew(chart) {
      if (chart !== this.overview) return this.moveChart(chart);
      this.moveBrush();
      chart.view.addSignalListener("brush", (name, value) => this.brushed(value.round));
    }
  }

  // --- Choices -----------------------------------------------------------------------------------

  function enableChoice(choice) {
    const select = choice.querySelector(":scope > label select");
    const options = choice.querySelectorAll(":scope > .option");
    const show = () =>
      options.forEach((option, index) => (option.hidden = index !== select.selectedIndex));
    select.addEventListener("change", () => {
      show();
      drawVisible();
    });
    show(); // a browser may restore an earlier choice when it loads the page again
  }

  // --- Saving charts, copying tables -------------------------------------------------------------

  function download(blob, name) {
    const link = element("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  // What is saved looks the same from any screen, and has the title that the page shows in HTML.
  async function save(chart, format) {
    const name = `${chart.figure.id}.${format}`;
    const view = computedView(chart, 900, { title: chart.title, padding: 20 });
    if (format === "svg") {
      download(new Blob([await view.toSVG()], { type: "image/svg+xml" }), name);
    } else {
      const canvas = await view.toCanvas(2);
      download(await new Promise((done) => canvas.toBlob(done, "image/png")), name);
    }
    view.finalize();
    status.textContent = `Saved ${name}`;
  }

  function saveButton(chart, format) {
    const kind = format.toUpperCase();
    const button = element("button", { type: "button", textContent: kind });
    button.setAttribute("aria-label", `Save chart ${chart.title} as ${kind}`);
    button.addEventListener("click", () => save(chart, format));
    return button;
  }

  // Numbers with all their digits, as the program computed them.
  function csvOf(table) {
    const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const exact = (cell) => quoted(cell.dataset.value ?? cell.textContent.trim());
    return [...table.rows].map((row) => [...row.cells].map(exact).join(",") + "\n").join("");
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Pages opened from disk are not always allowed to use the clipboard that way.
      const area = element("textarea", { className: "unseen", value: text });
      document.body.append(area);
      area.select();
      const copied = document.execCommand("copy");
      area.remove();
      return copied;
    }
    return true;
  }

  function copyButton(figure) {
    const title =
      figure.querySelector("figcaption h3, figcaption")?.textContent.trim() ?? figure.id;
    const button = element("button", { type: "button", textContent: "Copy as CSV" });
    button.setAttribute("aria-label", `Copy table ${title} as CSV`);
    button.addEventListener("click", async () => {
      const copied = await copy(csvOf(figure.querySelector("table")));
      button.focus();
      button.textContent = copied ? "Copied" : "Not copied";
      status.textContent = copied ? `Copied table ${title}` : `The browser did not allow copying`;
      setTimeout(() => (button.textContent = "Copy as CSV"), 2000);
    });
    return button;
  }

  function addTools(figure, ...buttons) {
    const caption =
      figure.querySelector("figcaption") ??
      figure.insertBefore(element("figcaption"), figure.firstChild);
    caption.append(element("div", { className: "tools" }, ...buttons));
  }

  // Columns without any number read from the left.
  function alignText(table) {
    const rows = [...table.rows];
    const columns = rows[0]?.cells.length ?? 0;
    for (let column = 1; column < columns; ++column) {
      const cells = rows.map((row) => row.cells[column]).filter(Boolean);
      if (!cells.some((cell) => cell.dataset.value))
        cells.forEach((cell) => cell.classList.add("text"));
    }
  }

  // --- Contents ----------------------------------------------------------------------------------

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

  // --- Printing ----------------------------------------------------------------------------------

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

  // --- Start -------------------------------------------------------------------------------------

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
})();
