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
    event.clientY + gap + height < innerHeight ? event.clientY + gap : event.clientY - gap - height;
  tooltip.style.translate = `${Math.max(4, left)}px ${Math.max(4, top)}px`;
}
