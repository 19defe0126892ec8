// Light and dark, and the colours of what charts show.

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => root.dataset.theme ?? (systemIsDark.matches ? "dark" : "light");

// The style sheet declares the colours; the charts take them from there.
function colours() {
  const style = getComputedStyle(root);
  const names = ["paper", "ink", "soft", "faint", "hair", "accent", "band1", "band2", "band3"];
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

// Ours are vivid, the classical ones calmer. All can be told apart on light and dark paper.
const methodColours = {
  blend: "#e8590c",
  guard: "#e8590c",
  "pcgs-tf": "#1c7ed6",
  "pcgs-tf:oracle": "#74a9dc",
  "fixed-share*": "#2f9e44",
  "fixed-share": "#82b366",
  "hedge*": "#8d7b6c",
  hedge: "#a89f94",
  "variable-share": "#b565c7",
  genshare: "#d4a017",
  "learn-alpha": "#0ca6a6",
  "past-posteriors": "#7a6ae0",
  adahedge: "#b5846a",
  squint: "#d0587e",
  "ml-poly": "#7d8f2b",
  boa: "#4f8fa3",
  bayes: "#868e96",
};
// Nine, and one for all others together.
const expertColours = [
  ...["#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2"],
  ...["#b279a2", "#d4a72c", "#9d755d", "#7f95d1", "#a0a6ad"],
];
const forecastColours = ["#868e96", "#1c7ed6", "#e8590c", "#d4a017", "#2f9e44", "#b565c7"];
const palettes = {
  methods: ["#c2255c", "#5f7fbf", "#9c8b3e", "#4b9e87", "#a66fb0"], // those without a colour
  experts: expertColours,
  budgets: ["#4c78a8", "#f58518", "#e45756", "#72b7b2", "#54a24b", "#d4a72c"],
  forecasts: forecastColours, // what came, the best model, then the combined forecasts
  errors: forecastColours.slice(1),
  // The best model and equal weights, the latter alone, and both after the combination.
  rivals: ["#1c7ed6", "#868e96"],
  equal: ["#868e96"],
  forecasters: ["#e8590c", "#1c7ed6", "#868e96"],
  latest: [{ expr: "ink" }, "#1c7ed6", "#e8590c"],
  latest_alone: [{ expr: "ink" }, "#e8590c"],
  // What came, the median, and bands from the narrowest on.
  fan: [{ expr: "ink" }, "#e8590c", { expr: "band1" }, { expr: "band2" }, { expr: "band3" }],
  score_parts: ["#a0a6ad", "#e8590c", "#1c7ed6"],
  levels: ["#e8590c", "#1c7ed6", "#2f9e44", "#b565c7", "#d4a017"],
  certificate: ["#2f9e44", "#e8590c"],
  outcome: ["#868e96"],
  variants: ["#4c78a8"],
  held_out: [{ expr: "ink" }, ...expertColours], // the mean, then each kind of sequences
};

// A colour for each of the names; methods have the same on every page, but for two that would look
// alike.
function coloursOf(names, palette) {
  const colours = palettes[palette];
  const taken = new Set();
  let next = 0;
  return names.map((name) => {
    const own = palette === "methods" && Object.hasOwn(methodColours, name);
    const colour =
      own && !taken.has(methodColours[name])
        ? methodColours[name]
        : colours[next++ % colours.length];
    taken.add(colour);
    return colour;
  });
}
