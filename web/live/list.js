// The list of streams: a page of it, by name.

const list = {
  section: document.getElementById("streams"),
  rows: document.querySelector("#streams tbody"),
  form: document.querySelector("#streams form"),
  back: document.getElementById("back"),
  more: document.getElementById("more"),
  before: [""], // the name that each page up to this one begins after
  next: null,
  shown: null, // the answer that the rows are made of, as text
};

// A name of a stream needs no escapes in an address.
const chosenName = () => location.hash.slice(1);

function listAddress() {
  const query = new URLSearchParams({ details: 1, after: list.before.at(-1) });
  const contains = list.form.elements.part.value.trim();
  if (contains) query.set("contains", contains);
  return `streams?${query}`;
}

function listRow({ name, in_memory: known, learned, open, errors }) {
  const button = element("button", { type: "button", textContent: name });
  button.addEventListener("click", () => (location.hash = name));
  const numbers = known
    ? [
        learned.toLocaleString("en"),
        open.toLocaleString("en"),
        errors ? `${errors.measure} ${short(errors.combination)}` : "",
        errors ? short(errors.equal_weights) : "",
        errors ? beside(errors.ratio) : "",
      ]
    : ["", "", "", "", ""];
  const row = element("tr", {}, element("th", { scope: "row" }, button));
  row.append(...numbers.map((textContent) => element("td", { textContent })));
  row.dataset.stream = name;
  if (name === chosenName()) row.setAttribute("aria-current", "true");
  return row;
}

// Rows that have not changed stay, so that no click gets lost between two of them.
function showRows(streams) {
  const text = JSON.stringify([streams, chosenName()]);
  if (text === list.shown) return;
  list.shown = text;
  const held = document.activeElement?.closest("#streams tr")?.dataset.stream;
  list.rows.replaceChildren(...streams.map(listRow));
  if (held !== undefined) {
    [...list.rows.rows].find((row) => row.dataset.stream === held)?.querySelector("button").focus();
  }
}

// Returns how many streams there are.
function showList({ streams, all, after }) {
  showRows(streams);
  list.next = after ?? null;
  list.more.disabled = list.next === null;
  list.back.disabled = list.before.length === 1;
  document.getElementById("none").hidden = streams.length > 0;
  document.getElementById("resting").hidden = streams.every(({ in_memory }) => in_memory);
  list.section.hidden = false;
  return all;
}
