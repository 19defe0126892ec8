// Two small charts, drawn anew whenever something has changed. Report pages draw with Vega, which
// compiles expressions; a page that holds a token allows no such thing.

function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const size = { width: 1000, height: 260, left: 64, right: 8, top: 8, bottom: 24 };

// Places of round i of `count` and of a value between low and high.
function scales(count, low, high) {
  const { width, height, left, right, top, bottom } = size;
  const step = (width - left - right) / Math.max(1, count - 1);
  const x = (i) => left + step * i;
  // Halves, because the difference of two numbers may be beyond the range.
  const part = (value) => (high > low ? (value / 2 - low / 2) / (high / 2 - low / 2) : 0.5);
  return { x, y: (value) => height - bottom - part(value) * (height - top - bottom) };
}

function frame(rounds, low, high, label) {
  const { width, height, left, right } = size;
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  const { x, y } = scales(rounds.length, low, high);
  for (const value of high > low ? [low, low / 2 + high / 2, high] : [low]) {
    drawing.append(
      svg("line", { x1: left, x2: width - right, y1: y(value), y2: y(value) }),
      svg("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, short(value)),
    );
  }
  const end = (i, anchor) =>
    svg("text", { x: x(i), y: height - 4, "text-anchor": anchor }, rounds[i].id.slice(0, 40));
  if (rounds.length > 0) drawing.append(end(0, "start"));
  if (rounds.length > 1) drawing.append(end(rounds.length - 1, "end"));
  return { drawing, x, y };
}

// The published forecast as a line, outcomes as dots, and rings where they are still to come.
function forecastChart(rounds) {
  const numbers = rounds.flatMap(({ forecast, y }) => [forecast, y]).filter((x) => x !== null);
  const low = numbers.length > 0 ? Math.min(...numbers) : 0;
  const high = numbers.length > 0 ? Math.max(...numbers) : 1;
  const label = `The combined forecasts and the outcomes of ${counted(rounds.length, "round", "rounds")}`;
  const { drawing, x, y } = frame(rounds, low, high, label);
  let path = "";
  rounds.forEach(({ forecast }, i) => {
    if (forecast === null) return;
    const goesOn = i > 0 && rounds[i - 1].forecast !== null;
    path += `${goesOn ? "L" : "M"}${x(i)} ${y(forecast)}`;
  });
  drawing.append(svg("path", { class: "forecast", d: path }));
  rounds.forEach(({ id, state, forecast, y: outcome }, i) => {
    const at = state === "open" ? forecast : outcome;
    if (at === null) return;
    const text = `${id}: forecast ${forecast ?? "none"}, outcome ${outcome ?? "not known yet"}`;
    drawing.append(
      svg(
        "circle",
        { class: state === "open" ? "waiting" : "outcome", cx: x(i), cy: y(at), r: 3 },
        svg("title", {}, text),
      ),
    );
  });
  return drawing;
}

// Shares of the whole, one above the other, in the order of `parts`: [{ colour, of(round) }].
function shareChart(rounds, parts) {
  const label = `Weights in ${counted(rounds.length, "round", "rounds")}`;
  const { drawing, x, y } = frame(rounds, 0, 1, label);
  let below = rounds.map(() => 0);
  for (const { colour, of } of parts) {
    const above = rounds.map((round, i) => below[i] + of(round));
    const along = (heights) => heights.map((height, i) => `${x(i)} ${y(height)}`);
    const outline = [...along(above), ...along(below).reverse()];
    drawing.append(svg("path", { fill: colour, d: `M${outline.join("L")}Z` }));
    below = above;
  }
  return drawing;
}
