// Tables: copying them, and how they are set.

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
  const title = figure.querySelector("figcaption h3, figcaption")?.textContent.trim() ?? figure.id;
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
