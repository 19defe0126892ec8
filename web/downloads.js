// Charts as files.

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
