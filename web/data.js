// What the program wrote for a chart: its data, and which template they fill.

// Where a chart has a calendar, what it says of rounds is in units of it. Times are UTC: a reader's
// own time zone does not move them.
const instant = (calendar, units) => calendar.origin + calendar.unit * units;
const unitsAt = (calendar, time) => Math.round((time - calendar.origin) / calendar.unit);
function dateText(calendar, units) {
  const [, date, clock, seconds] = new Date(instant(calendar, units))
    .toISOString()
    .match(/^(.+)T(\d\d:\d\d):([\d.]+)Z$/);
  if (calendar.unit % 86400000 === 0) return date;
  return `${date} ${clock}` + (calendar.unit % 60000 === 0 ? "" : ":" + parseFloat(seconds));
}

// In a group, arrays are columns, and anything else is the same in each row.
function rowsOf(groups, calendar) {
  const onCalendar = ([name, values]) =>
    name === "round" || name === "end"
      ? [name, values.map((units) => instant(calendar, units))]
      : [name, values];
  return groups.flatMap((group) => {
    const columns = calendar ? Object.entries(group).map(onCalendar) : Object.entries(group);
    const length = columns.find(([, values]) => Array.isArray(values))?.[1].length ?? 1;
    const at = (values, row) => (Array.isArray(values) ? values[row] : values);
    return Array.from({ length }, (_, row) =>
      Object.fromEntries(columns.map(([name, values]) => [name, at(values, row)])),
    );
  });
}

const templates = JSON.parse(document.getElementById("templates").textContent);

// The template with its placeholders filled. A text "$name" stands for the value of that name, or,
// where the template has choices for it, for the one that the value names.
function filled(name, values) {
  if (!Object.hasOwn(templates, name)) throw new Error(`there is no template ${name}`);
  const { $schema, usermeta, ...template } = templates[name];
  const { placeholders, choices = {}, ...meta } = usermeta;
  const all = { ...placeholders, ...values };
  if (values.palette) all.colours = coloursOf(values.series, values.palette);
  const fill = (part) => {
    if (typeof part === "string" && part.startsWith("$")) {
      const placeholder = part.slice(1);
      if (!(placeholder in placeholders)) throw new Error(`${name} has no placeholder ${part}`);
      const value = all[placeholder];
      return placeholder in choices ? fill(choices[placeholder][value]) : value;
    }
    if (Array.isArray(part)) return part.map(fill);
    if (part === null || typeof part !== "object") return part;
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, fill(value)]));
  };
  return { ...fill(template), usermeta: meta };
}
