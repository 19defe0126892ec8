// The stream that is looked at.

const view = {
  section: document.getElementById("stream"),
  shown: null, // the answer that is drawn, as text
};

// Nine experts have a colour of their own, the others share one: those with the most weight now come
// first, and stay in their order while they are the same ones.
let ranked = { name: null, experts: [], leaders: [] };

function leadersOf({ name, experts, weights }) {
  const largest = experts.toSorted((a, b) => weights[b] - weights[a]).slice(0, 9);
  const same =
    ranked.name === name &&
    ranked.experts.join("\n") === experts.join("\n") &&
    largest.every((expert) => ranked.leaders.includes(expert));
  if (!same) ranked = { name, experts, leaders: largest };
  return ranked.leaders;
}

// What is drawn of the weights: { name, colour, of(round) }.
function shares(stream) {
  const leaders = leadersOf(stream);
  const parts = leaders.map((name, i) => ({
    name,
    colour: expertColours[i],
    of: ({ weights }) => (Object.hasOwn(weights, name) ? weights[name] : 0),
  }));
  const others = stream.experts.length - leaders.length;
  const gone = stream.rounds.some(({ weights }) =>
    Object.keys(weights).some((name) => !stream.experts.includes(name)),
  );
  if (others === 0 && !gone) return parts;
  const rest = ({ weights }) =>
    Object.entries(weights).reduce(
      (sum, [name, weight]) => (leaders.includes(name) ? sum : sum + weight),
      0,
    );
  const what = others === 0 ? "experts that left" : counted(others, "other", "others");
  return [...parts, { name: what, colour: expertColours.at(-1), of: rest }];
}

function showWeights(parts, weights) {
  const rows = parts.flatMap(({ name, colour, of }) => {
    const weight = of({ weights });
    const bar = element("i");
    bar.style.width = percent(weight).replace(" ", "");
    bar.style.background = colour;
    return [
      element("span", { textContent: name }),
      element("div", { className: "bar" }, bar),
      element("span", { className: "share", textContent: percent(weight) }),
    ];
  });
  document.getElementById("weights").replaceChildren(...rows);
}

function legendOf(parts) {
  return parts.map(({ name, colour }) => {
    const mark = element("i");
    mark.style.background = colour;
    return element("li", {}, mark, name);
  });
}

function figuresOf({ learned, open, errors }) {
  const figures = [
    [learned.toLocaleString("en"), "rounds learned"],
    [open.length.toLocaleString("en"), open.length === 1 ? "round open" : "rounds open"],
  ];
  if (errors) {
    figures.push(
      [short(errors.combination), `${errors.measure} of the combination`],
      [short(errors.equal_weights), `${errors.measure} of equal weights`],
      [beside(errors.ratio), "the combination beside equal weights"],
    );
  }
  return figures.map(([number, what]) =>
    element("li", {}, element("b", { textContent: number || "none" }), element("span", { textContent: what })),
  );
}

function showStream(stream) {
  view.section.hidden = false;
  const text = JSON.stringify(stream);
  if (text === view.shown) return;
  view.shown = text;
  const { name, experts, loss, method, season, weights, rounds } = stream;
  const seasons = season.length > 0 ? `, seasons of ${season.join(" and ")} rounds` : "";
  const parts = shares(stream);
  const [, forecasts, course] = view.section.querySelectorAll("figure");
  view.section.querySelector("h2").textContent = name;
  document.getElementById("made").textContent =
    `${counted(experts.length, "expert", "experts")}, combined by ${method}, ${loss} loss${seasons}`;
  view.section.querySelector(".figures").replaceChildren(...figuresOf(stream));
  showWeights(parts, weights);
  forecasts.querySelector("p").textContent =
    "The line is what was published, dots are what came, rings wait for their outcome.";
  forecasts.querySelector(".plot").replaceChildren(forecastChart(rounds));
  course.querySelector("p").textContent = `In the last ${counted(rounds.length, "round", "rounds")}.`;
  course.querySelector(".plot").replaceChildren(shareChart(rounds, parts));
  course.querySelector(".legend").replaceChildren(...legendOf(parts));
  forecasts.hidden = course.hidden = rounds.length === 0;
}

// With many experts an answer is large, so it has fewer rounds.
let expertsBefore = 1;
async function askForStream(name) {
  const rounds = expertsBefore > 40 ? 25 : 100;
  const stream = await ask(`streams/${encodeURIComponent(name)}?rounds=${rounds}`);
  expertsBefore = stream.experts.length;
  return stream;
}
