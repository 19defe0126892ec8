// What the browser tests share: inputs with hostile names, the program, and its pages as headless
// Chromium opens them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

export const program = resolve(process.env.PCGS_PROGRAM);
const modules = resolve(process.env.PCGS_WEB_MODULES, "any");
const fromModules = createRequire(modules);
const { chromium } = fromModules("playwright-core");

// What the schema of Vega-Lite objects to in a specification.
export function schemaOfVegaLite() {
  const { default: Ajv } = fromModules("ajv");
  const file = resolve(process.env.PCGS_WEB_MODULES, "vega-lite/build/vega-lite-schema.json");
  const check = new Ajv({ strict: false, validateFormats: false }).compile(
    JSON.parse(readFileSync(file, "utf8")),
  );
  // Through JSON, as it comes from another realm or may share parts.
  return (spec) => (check(JSON.parse(JSON.stringify(spec))) ? [] : check.errors);
}

export const hostileNames = [
  "<script>alert(1)</script>",
  `"quotes' & <b>bold`,
  "🦊 fox",
  "long ".repeat(39) + "name!",
  "</script><img src=x onerror=alert(2)>",
];

let folder;
let browser;
export const file = (name) => join(folder, name);
// Runs a command line of the program, no word of which has a space; returns what it prints.
export const pcgs = (line) =>
  execFileSync(program, line.split(" "), {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    cwd: folder,
  });

// Uniform in [0, 1), the same on every machine.
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const quoted = (names) => names.map((name) => `"${name.replaceAll('"', '""')}"`);
const write = (name, lines) => writeFileSync(file(name), lines.join("\n") + "\n");

// Losses that favour another expert every 50 rounds.
export function writeLosses(name, rounds) {
  const random = randomNumbers(1);
  const lines = [quoted(hostileNames).join(",")];
  for (let round = 0; round < rounds; ++round) {
    const best = Math.floor(round / 50) % hostileNames.length;
    lines.push(
      hostileNames.map((_, k) => (random() * (k === best ? 0.4 : 1)).toFixed(4)).join(","),
    );
  }
  write(name, lines);
}

export function writeForecasts(name, rounds) {
  const random = randomNumbers(2);
  const lines = [["load", ...quoted(hostileNames)].join(",")];
  for (let round = 0; round < rounds; ++round) {
    const load = 10 + 3 * Math.sin(round / 12) + random();
    const forecasts = hostileNames.map((_, k) => load + (random() - 0.5) * (k + 1));
    lines.push([load, ...forecasts].map((number) => number.toFixed(3)).join(","));
  }
  write(name, lines);
}

// Hours of two months in which experts sleep now and then; the last ones have no outcome. With
// `stores`, so many of them below each other.
export function writeHours(name, rounds, coming, stores = 0) {
  const random = randomNumbers(4);
  const experts = stores ? ["arima", "ets"] : hostileNames;
  const lines = [[...(stores ? ["store"] : []), "ds", "load", ...quoted(experts)].join(",")];
  for (let store = 0; store < Math.max(1, stores); ++store) {
    for (let round = 0; round < rounds; ++round) {
      const time = new Date(Date.UTC(2025, 2, 1, round)).toISOString().slice(0, 16);
      const load = 100 + 30 * Math.sin((round * Math.PI) / 12) + 5 * random();
      const forecasts = experts.map((_, k) =>
        random() < 0.02 ? "" : (load + (random() - 0.5) * 9 * (k + 1)).toFixed(3),
      );
      const outcome = round + coming < rounds ? load.toFixed(3) : "";
      const key = stores ? [`store ${store + 1}`] : [];
      lines.push([...key, time.replace("T", " "), outcome, ...forecasts].join(","));
    }
  }
  write(name, lines);
}

// Quantiles of models with hostile names, for two places and horizons; in the last `coming` weeks no
// outcome is known, and half a year pauses before the last `season`.
export function writeQuantiles(name, weeks, season, coming) {
  const random = randomNumbers(6);
  const lines = ["week,place,ahead,model,q0.1,q0.25,q0.5,q0.75,q0.9,cases"];
  for (let week = 0; week < weeks; ++week) {
    const day = 7 * (week + (week + season < weeks ? 0 : 26));
    const date = new Date(Date.UTC(2024, 9, 5 + day)).toISOString().slice(0, 10);
    for (const [place, size] of [["north", 1], ["south", 10]]) {
      for (const ahead of [1, 2]) {
        const cases = size * (100 + 30 * Math.sin(week / 5) + 5 * random());
        hostileNames.forEach((model, k) => {
          const middle = cases + size * ahead * (random() - 0.5) * 9 * (k + 1);
          const quantiles = [-8, -4, 0, 4, 8].map((x) => (middle + size * x).toFixed(3));
          const outcome = week + coming < weeks ? cases.toFixed(3) : "";
          lines.push([date, place, ahead, ...quoted([model]), ...quantiles, outcome].join(","));
        });
      }
    }
  }
  write(name, lines);
}

export function writeNpy(name, rounds, experts) {
  const dictionary = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rounds}, ${experts}), }`;
  const header = dictionary.padEnd(128 - 10 - 1) + "\n";
  const random = randomNumbers(3);
  const numbers = Float32Array.from({ length: rounds * experts }, random);
  const magic = Buffer.from([0x93, ...Buffer.from("NUMPY"), 1, 0, header.length, 0]);
  writeFileSync(
    file(name),
    Buffer.concat([magic, Buffer.from(header), Buffer.from(numbers.buffer)]),
  );
}

export async function start() {
  folder = mkdtempSync(join(tmpdir(), "pcgs-report-"));
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

export const newContext = (options) => browser.newContext(options);

// A page as a reader sees it who does not run scripts.
export async function openWithoutScript(name, look) {
  const context = await browser.newContext({ javaScriptEnabled: false, offline: true });
  try {
    const page = await context.newPage();
    await page.goto(pathToFileURL(file(name)).href);
    await look(page);
  } finally {
    await context.close();
  }
}

export async function stop() {
  await browser?.close();
  rmSync(folder, { recursive: true });
}

export const allDrawn = (page) =>
  page.waitForFunction(() => document.documentElement.dataset.drawn === "yes");

// From three tenths of a chart to six.
export async function brush(plot) {
  await plot.scrollIntoViewIfNeeded();
  const { x, y, width } = await plot.boundingBox();
  const { mouse } = plot.page();
  await mouse.move(x + width * 0.3, y + 20);
  await mouse.down();
  await mouse.move(x + width * 0.6, y + 30, { steps: 5 });
  await mouse.up();
}

// Opens a page, lets `look` examine it, and fails if the page reached for anything or complained,
// other than by `complaint`.
export async function open(name, { width = 1280, scheme = "light", timezone, complaint }, look) {
  const viewport = { width, height: 900 };
  const context = await browser.newContext({
    viewport,
    colorScheme: scheme,
    offline: true,
    timezoneId: timezone,
  });
  const problems = [];
  await context.route(
    (url) => !["file:", "data:", "blob:"].includes(url.protocol),
    (route) => {
      problems.push(`request for ${route.request().url()}`);
      return route.abort();
    },
  );
  const page = await context.newPage();
  page.on("request", (request) => {
    if (request.url().startsWith("file:") && !request.isNavigationRequest())
      problems.push(`request for ${request.url()}`);
  });
  page.on("console", (message) => problems.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`error: ${error.stack}`));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  await page.addInitScript(() => {
    window.specifications = []; // id and text, without the data
    addEventListener("specified", ({ target, detail }) => {
      // Vega-Lite passes the layout of legends on to Vega; its schema does not have it.
      const { layout, ...legend } = detail.config.legend;
      const config = { ...detail.config, legend };
      const text = JSON.stringify({ ...detail, config, data: { name: "table" } });
      window.specifications.push([target.id, text]);
    });
    new MutationObserver((changes, observer) => {
      if (!document.querySelector(".plot svg, .plot canvas")) return;
      window.firstChartAfter = performance.now();
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
  });
  try {
    await page.goto(pathToFileURL(file(name)).href);
    await allDrawn(page);
    await look(page);
    assert.deepEqual(
      problems.filter((problem) => !complaint?.test(problem)),
      [],
    );
  } finally {
    await context.close();
  }
}

// Shows every option of every choice in turn; returns the ids of charts that are not drawn then.
export async function chartsNotDrawn(page) {
  const missing = [];
  for (const figure of await page.locator("figure.chart").all()) {
    await figure.evaluate((element) => {
      for (let at = element; at; at = at.parentElement) {
        if (!at.classList.contains("option")) continue;
        const select = at.parentElement.querySelector(":scope > label select");
        select.selectedIndex = [...at.parentElement.querySelectorAll(":scope > .option")].indexOf(
          at,
        );
        select.dispatchEvent(new Event("change"));
      }
    });
    await allDrawn(page);
    const drawn = await figure.evaluate((element) => {
      const canvas = element.querySelector("canvas");
      if (canvas) {
        const pixels = new Uint32Array(
          canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer,
        );
        return pixels.some((pixel) => pixel !== pixels[0]);
      }
      const marks = [...element.querySelectorAll(".plot svg .role-mark > *")];
      return marks.some((mark) => mark.getBBox().width + mark.getBBox().height > 0);
    });
    if (!drawn) missing.push(await figure.getAttribute("id"));
  }
  return missing;
}

// The text that a reader can see, charts included.
export const shownText = (page) =>
  page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (node) =>
      node.parentElement.closest("script, style")
        ? NodeFilter.FILTER_REJECT
        : NodeFilter.FILTER_ACCEPT,
    );
    let text = "";
    while (texts.nextNode()) text += texts.currentNode.data + "\n";
    return text;
  });

export const foreignElements = (page) =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll(
        "img, iframe, main script:not([type='application/json']), main b:not(.figures b, .range b)",
      ),
    ].map((element) => element.outerHTML),
  );
