// From a filled template to a whole Vega-Lite specification, as wide as the page is.

const facetSpacing = 28;

// What the configuration has to know of a specification: the names in its legends, and whether
// names stand down its side, so that it is read along horizontal lines.
function traitsOf(spec) {
  const traits = { names: [], namesDownTheSide: false };
  JSON.stringify(spec, (key, value) => {
    if (key === "domain" && Array.isArray(value)) traits.names.push(...value);
    if (key === "y" && value?.type === "nominal") traits.namesDownTheSide = true;
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
    axisXTemporal: {
      ticks: true,
      tickCount: Math.max(3, Math.round(plotWidth / 110)),
      labelSeparation: 12, // those at the ends are moved inwards
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

// Vega fits single plots into a width, but not facets.
const fitsItself = (spec) => !spec.spec;

// Vega complains about scales of data without rows.
function dropEmptyLayers(spec, datasets) {
  if (!spec.layer) return;
  spec.layer = spec.layer.filter(({ data }) => !data || datasets[data.name].length > 0);
  for (const layer of spec.layer) dropEmptyLayers(layer, datasets);
}

// Months, days and hours as a calendar has them, in any language.
const dateLabels = {
  year: "%Y",
  quarter: "%b %Y",
  month: "%b %Y",
  week: "%-d %b",
  date: "%-d %b",
  day: "%-d %b",
  hours: "%H:%M",
  minutes: "%H:%M",
  seconds: "%H:%M:%S",
  milliseconds: ".%L",
};

// The same chart with rounds at their dates.
function alongDates(part) {
  if (Array.isArray(part)) return part.map(alongDates);
  if (part === null || typeof part !== "object") return part;
  const inside = Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, alongDates(value)]),
  );
  if (inside.field !== "round" || inside.type !== "quantitative") return inside;
  const { zero, ...scale } = inside.scale;
  return {
    ...inside,
    type: "temporal",
    title: null,
    scale: { ...scale, type: "utc" },
    axis: { grid: false, format: dateLabels },
  };
}

// The chart's whole Vega-Lite specification, `width` pixels wide, of which `margin` stands beside
// the plots.
function specification({ source, window }, width, margin) {
  const colour = colours();
  const { calendar, values } = source;
  const at = (round) => (calendar ? instant(calendar, round) : round);
  const ends = calendar && { first: at(values.first), last: at(values.last) };
  const rounds = filled(source.template, { ...values, ...ends });
  const template = calendar ? alongDates(rounds) : rounds;
  const spec = { ...template };
  spec.data = { name: "table", values: rowsOf(source.groups, calendar) };
  spec.datasets = {};
  for (const name in source.datasets) spec.datasets[name] = rowsOf(source.datasets[name], calendar);
  dropEmptyLayers(spec, spec.datasets);

  const present = { ...colour, ...(window && { from: at(window.from), to: at(window.to) }) };
  spec.params = (spec.params ?? []).filter((param) => !(param.name in present));
  for (const name in present) spec.params.push({ name, value: present[name] });

  let plotWidth = width - margin;
  if (spec.spec) {
    const names = spec.data.values.map((row) => row[spec.facet.field]);
    const least = spec.usermeta.facetWidth + facetSpacing;
    const fitting = Math.floor((plotWidth + facetSpacing) / least);
    spec.columns = Math.max(1, Math.min(new Set(names).size, fitting));
    plotWidth = Math.floor((plotWidth + facetSpacing) / spec.columns) - facetSpacing;
  }
  const plot = spec.spec ?? spec;
  plot.width = plotWidth;
  if (source.height) plot.height = source.height;
  if (fitsItself(spec)) spec.autosize = { type: "fit-x", contains: "padding" };
  spec.config = configuration(template, colour, width, plotWidth);
  return spec;
}
