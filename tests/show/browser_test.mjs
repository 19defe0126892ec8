// Opens pages that the program writes in headless Chromium: from disk, with the network blocked.
// By hand, after make:
//   PCGS_PROGRAM=build/release/pcgs PCGS_WEB_MODULES=build/release/web/node_modules \
//   PCGS_SCREENSHOTS=build/screenshots node --test tests/show/browser_test.mjs
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import {
  allDrawn,
  brush,
  chartsNotDrawn,
  file,
  foreignElements,
  hostileNames,
  open,
  openWithoutScript,
  pcgs,
  schemaOfVegaLite,
  shownText,
  start,
  stop,
  writeForecasts,
  writeHours,
  writeLosses,
  writeNpy,
  writeQuantiles,
} from "./pages.mjs";

const screenshots = resolve(process.env.PCGS_SCREENSHOTS);
const corpus = fileURLToPath(new URL("../../fuzz/corpus/report", import.meta.url));
let studies; // the JSON that suite.html was made of
let hours; // that of hours.html
let stores; // that of stores.html
let quantiles; // that of quantiles.html
let training; // that of training.html

before(async () => {
  await start();
  mkdirSync(screenshots, { recursive: true });
  writeLosses("losses.csv", 300);
  writeForecasts("forecasts.csv", 300);
  pcgs("run losses.csv --method fixed-share,hedge,guard --report run.html");
  writeHours("hours.csv", 1000, 24);
  hours = JSON.parse(pcgs("run hours.csv --y load --time ds --json --report hours.html"));
  writeHours("stores.csv", 200, 7, 30);
  stores = JSON.parse(
    pcgs("run stores.csv --y load --time ds --by store --json --report stores.html"),
  );
  writeQuantiles("hub.csv", 60, 20, 3);
  quantiles = JSON.parse(
    pcgs(
      "run hub.csv --quantiles q* --y cases --time week --by place,ahead --expert-column model " +
        "--json --report quantiles.html",
    ),
  );
  training = JSON.parse(readFileSync(join(corpus, "training.json"), "utf8"));
  pcgs(`report ${join(corpus, "training.json")} --out training.html`);
  const sizes = "--pools 4,8 --sequences 2 --rounds 60 --experts 4";
  const methods = "--method fixed-share,hedge,guard,fixed-share*";
  studies = JSON.parse(
    pcgs(`suite --study all ${sizes} ${methods} --json --report suite.html`),
  ).studies;
});

after(stop);

describe("a page opened from disk without a network", () => {
  const pages = {
    "of losses": () => "run.html",
    "of forecasts": () => {
      pcgs("run forecasts.csv --y load --method fixed-share,ml-poly --report forecasts.html");
      return "forecasts.html";
    },
    "of forecasts with times": () => "hours.html",
  };
  for (const [kind, write] of Object.entries(pages)) {
    test(`${kind}: is quiet, draws every chart and shows hostile names as text`, () =>
      open(write(), {}, async (page) => {
        assert.ok((await page.locator("figure.chart").count()) > 0);
        assert.deepEqual(await chartsNotDrawn(page), []);
        // Charts on canvas have no text to read; on paper all are SVG. Legends cut names short.
        await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
        const text = await shownText(page);
        for (const name of hostileNames) {
          assert.ok(text.includes(name.slice(0, 20)), `${name} is not shown`);
        }
        assert.deepEqual(await foreignElements(page), []);
      }));
  }
});

test("a page of quantiles is quiet, draws every chart and has the names of its JSON", () =>
  open("quantiles.html", {}, async (page) => {
    assert.ok((await page.locator("figure.chart").count()) >= 3);
    assert.deepEqual(await chartsNotDrawn(page), []);
    const text = await shownText(page);
    for (const line of quantiles.errors) assert.ok(text.includes(line.name), line.name);
    assert.deepEqual(await foreignElements(page), []);
  }));

describe("a page of quantiles", () => {
  const inOption = (page, id) => page.locator(`#${id} > .option:visible`);
  const choose = async (page, id, name) => {
    await page.locator(`#${id} select`).selectOption(name);
    await allDrawn(page);
  };
  // The shapes of one kind in a drawing, dots that only wait for the mouse left out.
  const shapes = (figure, kind) =>
    figure.locator(`svg .mark-${kind}.role-mark path`).evaluateAll((all) =>
      all
        .filter((path) => path.getAttribute("opacity") !== "0")
        .map((path) => {
          const { x, y, width, height } = path.getBBox();
          return { x, y, width, height, fill: path.getAttribute("fill"), d: path.getAttribute("d") };
        }),
    );

  test("has a fan of each series: three bands or fewer, and a dot for each known outcome", () =>
    open("quantiles.html", {}, async (page) => {
      const names = await page.locator("#fans-of option").allTextContents();
      assert.deepEqual(
        names,
        quantiles.series.map(({ key: [place, ahead] }) => `place ${place}, ahead ${ahead}`),
      );
      for (const name of names) {
        await choose(page, "fans-of", name);
        const figure = inOption(page, "fans-of").locator("figure.chart");
        assert.equal(await figure.locator("h3").textContent(), `Forecasts of ${name}`);
        assert.equal((await shapes(figure, "symbol")).length, 57, "outcomes");
        const bands = await shapes(figure, "area");
        assert.deepEqual(bands.length, 2, "80 % and 50 %");
        assert.ok(bands[0].height > bands[1].height, "the widest band lies below the other");
        assert.notEqual(bands[0].fill, bands[1].fill);
        // Where there is a pause, a new path begins.
        assert.equal(bands[0].d.match(/M/g).length, 2);
        assert.equal((await shapes(figure, "line"))[0].d.match(/M/g).length, 2);
      }
    }));

  test("has fans that go on where dots end, and begin where they begin", () =>
    open("quantiles.html", {}, async (page) => {
      const figure = page.locator("#fan-1");
      const dots = await figure
        .locator("svg .mark-symbol.role-mark path:not([opacity='0'])")
        .evaluateAll((all) => all.map((dot) => dot.getBoundingClientRect().x));
      const [band] = await figure
        .locator("svg .mark-area.role-mark path")
        .evaluateAll((all) => all.map((path) => path.getBoundingClientRect()));
      const week = (band.width - (Math.max(...dots) - Math.min(...dots))) / 3;
      assert.ok(week > 2, `three weeks of ${week} pixels have no dot`);
      assert.ok(Math.abs(Math.min(...dots) - band.x) < 6);
      assert.match(await figure.locator("p").textContent(), /The last 3 are not known yet/);
    }));

  test("says the numbers of a round that the mouse is at", () =>
    open("quantiles.html", {}, async (page) => {
      const last = page.locator("#fan-1 svg .mark-symbol.role-mark path[opacity='0']").last();
      await last.hover({ force: true });
      const text = await page.locator(".tooltip").innerText();
      const [north] = quantiles.coming;
      const [low, , median, , high] = north.quantiles.map((x) => String(+x.toPrecision(4)));
      for (const part of [north.time, "not known yet", median, `${low} to ${high}`]) {
        assert.ok(text.includes(part), `${part} is not in ${text}`);
      }
    }));

  test("has bars by place, by horizon and by series that are as long as the ratio to the pool", () =>
    open("quantiles.html", {}, async (page) => {
      assert.deepEqual(await page.locator("#scores-by option").allTextContents(), [
        "place",
        "ahead",
        "series",
      ]);
      const groups = {
        place: quantiles.by_value.filter(({ column }) => column === "place"),
        ahead: quantiles.by_value.filter(({ column }) => column === "ahead"),
        series: quantiles.series,
      };
      for (const [name, all] of Object.entries(groups)) {
        await choose(page, "scores-by", name);
        const figure = inOption(page, "scores-by").locator("figure.chart");
        const bars = (await shapes(figure, "rect")).filter(({ width }) => width > 0);
        const rule = await figure.locator("svg .mark-rule.role-mark line").boundingBox();
        const left = Math.min(...bars.map(({ x }) => x));
        const rows = [...new Set(bars.map(({ y }) => y))].sort((a, b) => a - b);
        const lengths = rows.map(
          (row) =>
            Math.max(...bars.filter(({ y }) => y === row).map(({ x, width }) => x + width)) - left,
        );
        const plot = await figure.locator("svg .mark-rect.role-mark").boundingBox();
        const one = rule.x - plot.x;
        assert.equal(lengths.length, all.length);
        all.forEach(({ score, others: [pool] }, i) =>
          assert.ok(Math.abs(lengths[i] / one - score / pool.score) < 0.02, `${name} ${i}`),
        );
      }
    }));
});

const commands = {
  suite: null, // made before all tests
  hours: null,
  forecast: "forecast forecasts.csv --column load --season 24 --out f.csv --report forecast.html",
  electricity: "electricity forecasts.csv --column load --window 0 --report electricity.html",
  training: null,
};
for (const [name, line] of Object.entries(commands)) {
  test(`a page of ${name} is quiet and draws every chart`, () => {
    if (line) pcgs(line);
    return open(`${name}.html`, {}, async (page) => {
      assert.ok((await page.locator("figure.chart").count()) >= 4);
      assert.deepEqual(await chartsNotDrawn(page), []);
    });
  });
}

test("a chart that cannot be drawn says so, and the others are drawn", () => {
  const broken = readFileSync(file("run.html"), "utf8").replace(
    '{"template":"overview"',
    '{"template":"no such template"',
  );
  writeFileSync(file("broken.html"), broken);
  return open("broken.html", { complaint: /^console error: Chart / }, async (page) => {
    const failed = page.locator("figure.chart.failed");
    assert.equal(await failed.count(), 1);
    assert.match(await failed.locator(".error").textContent(), /^Not drawn: ./);
    assert.deepEqual(await chartsNotDrawn(page), [await failed.getAttribute("id")]);
  });
});

describe("charts are Vega-Lite as its schema has it", () => {
  const web = new URL("../../web/", import.meta.url);
  const chartFiles = readdirSync(new URL("charts/", web));
  const templates = Object.fromEntries(
    chartFiles.map((name) => [
      name.replace(".json", ""),
      JSON.parse(readFileSync(new URL(`charts/${name}`, web), "utf8")),
    ]),
  );
  // The page's own function, without a page.
  const filled = runInNewContext(readFileSync(new URL("data.js", web), "utf8") + "filled", {
    document: { getElementById: () => ({ textContent: JSON.stringify(templates) }) },
  });
  let objections;
  before(() => (objections = schemaOfVegaLite()));

  test("every template, with its usual values and with each of its choices", () => {
    for (const [name, { usermeta }] of Object.entries(templates)) {
      const variants = Object.entries(usermeta.choices ?? {}).flatMap(([placeholder, choices]) =>
        Object.keys(choices).map((choice) => ({ [placeholder]: choice })),
      );
      for (const values of [{}, ...variants]) {
        const spec = { ...filled(name, values), data: { name: "table" } };
        assert.deepEqual(objections(spec), [], name);
      }
      const used = JSON.stringify([templates[name], usermeta.choices]);
      for (const placeholder in usermeta.placeholders) {
        assert.ok(used.includes(`"$${placeholder}"`), `${name} uses ${placeholder}`);
      }
    }
  });

  test("every chart of a run, of forecasts, of many series, of quantiles, of a training and of all studies, as it is drawn", async () => {
    pcgs("run forecasts.csv --y load --method genshare,ml-poly --report lines.html");
    const used = new Set();
    for (const name of ["run", "lines", "hours", "stores", "quantiles", "suite", "training"]) {
      await open(`${name}.html`, {}, async (page) => {
        assert.deepEqual(await chartsNotDrawn(page), []);
        for (const [chart, spec] of await page.evaluate(() => window.specifications)) {
          assert.deepEqual(objections(JSON.parse(spec)), [], `${chart} of ${name}`);
        }
        for (const source of await page.locator("figure.chart > script").allTextContents()) {
          const { template, values } = JSON.parse(source);
          used.add(template);
          const known = { palette: true, ...templates[template].usermeta.placeholders };
          for (const value in values) assert.ok(value in known, `${template} knows ${value}`);
        }
      });
    }
    assert.deepEqual([...used].sort(), Object.keys(templates).sort());
  });
});

test("without its script a page has its text, its tables and words for its charts", () =>
  openWithoutScript("run.html", async (page) => {
    assert.ok(await page.locator("#methods td").first().isVisible());
    const [words, alternative] = await page
      .locator(".plot")
      .first()
      .evaluate((plot) => [getComputedStyle(plot, "::before").content, plot.ariaLabel]);
    assert.ok(alternative.length > 20);
    assert.ok(words.includes(alternative.slice(0, 20)), words);
  }));

test("a tooltip shows a hostile name as text", () =>
  open("run.html", {}, async (page) => {
    const plot = page.locator("figure[id$='-weights'] .plot:visible").first();
    await plot.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await plot.boundingBox();
    const tooltip = page.locator(".tooltip");
    // Down through the legend until the ribbon of the best path, which has a tooltip.
    for (let down = 0; down < height && !(await tooltip.isVisible()); down += 4) {
      await page.mouse.move(x + width / 4, y + down);
    }
    const text = await tooltip.textContent();
    assert.ok(
      hostileNames.some((name) => text.includes(name)),
      text,
    );
    assert.deepEqual(await foreignElements(page), []);
    await page.mouse.wheel(0, 200);
    await tooltip.waitFor({ state: "hidden" });
  }));

describe("the time window", () => {
  const linked = (page) => page.locator("figure.chart[data-window]:visible").first();
  const becomes = (page, from, to) =>
    page.waitForFunction(
      ([from, to]) =>
        [...document.querySelectorAll("figure.chart[data-window]")]
          .filter((figure) => figure.checkVisibility())
          .every(
            (figure) => figure.dataset.from === String(from) && figure.dataset.to === String(to),
          ),
      [from, to],
    );
  // What a drawing looks like, be it SVG or canvas.
  const picture = (figure) =>
    figure.evaluate(
      (element) =>
        element.querySelector("canvas")?.toDataURL() ?? element.querySelector("svg").outerHTML,
    );

  test("follows a brush over the overview, in all its charts", () =>
    open("run.html", {}, async (page) => {
      const before = await picture(linked(page));
      await brush(page.locator(".window:visible .overview .plot").first());
      const slider = page.locator(".window:visible input[type=range]");
      const [from, to] = [await slider.nth(0).inputValue(), await slider.nth(1).inputValue()].map(
        Number,
      );
      await becomes(page, from, to);
      assert.ok(from > 60 && from < 120, `from ${from}`);
      assert.ok(to > 150 && to < 210, `to ${to}`);
      assert.ok((await picture(linked(page))) !== before, "charts are drawn anew");
    }));

  test("follows its sliders by keyboard, and the button shows the whole run again", () =>
    open("run.html", {}, async (page) => {
      const from = page.locator(".window:visible").getByLabel("From round").first();
      const to = page.locator(".window:visible").getByLabel("To round").first();
      await becomes(page, 1, 300);
      const overview = page.locator(".window:visible .overview").first();
      const before = await picture(overview);
      await from.focus();
      await page.keyboard.press("ArrowRight");
      await becomes(page, 2, 300);
      await page.keyboard.press("PageUp");
      const paged = Number(await from.inputValue());
      assert.ok(paged > 3, `PageUp went to ${paged}`);
      await becomes(page, paged, 300);
      await to.focus();
      await page.keyboard.press("Home");
      await becomes(page, paged, paged + 1);
      await page.keyboard.press("End");
      await page.keyboard.press("ArrowLeft");
      await becomes(page, paged, 299);
      assert.ok((await picture(overview)) !== before, "the brush shows the window");
      await page
        .locator(".window:visible")
        .getByRole("button", { name: "Whole run", exact: true })
        .first()
        .press("Enter");
      await becomes(page, 1, 300);
    }));
});

describe("a page of forecasts with times", () => {
  const window = (page) => page.locator("#forecasts .window");
  const shown = (page) =>
    page.locator("#forecasts-1").evaluate((figure) => [figure.dataset.from, figure.dataset.to]);

  test("shows the same dates wherever its reader is", async () => {
    const pictures = [];
    for (const timezone of ["Asia/Tokyo", "America/New_York"]) {
      await open("hours.html", { timezone }, async (page) => {
        assert.equal(await window(page).locator(".range b").first().textContent(), "2025-03-01 00:00");
        await page.evaluate(() => dispatchEvent(new Event("beforeprint"))); // as SVG
        const labels = await page
          .locator("#forecasts-1 svg .role-axis-label text")
          .allTextContents();
        assert.ok(labels.includes("30 Mar"), labels.join(" "));
        pictures.push(
          await page
            .locator("#latest-chart svg, #gains-chart svg, #forecasts-1 svg")
            .evaluateAll((all) => all.map((svg) => svg.textContent).join()),
        );
      });
    }
    assert.equal(pictures[0], pictures[1]);
  });

  test("has sliders in steps of its times, which say dates", () =>
    open("hours.html", {}, async (page) => {
      const from = window(page).getByLabel("From").first();
      await from.focus();
      await page.keyboard.press("ArrowRight");
      await page.waitForFunction(
        () => document.getElementById("forecasts-1").dataset.from === "1",
      );
      assert.equal(await window(page).locator(".range b").first().textContent(), "2025-03-01 01:00");
      assert.equal(await from.getAttribute("aria-valuetext"), "2025-03-01 01:00");
    }));

  test("follows a brush over its dates", () =>
    open("hours.html", {}, async (page) => {
      await brush(window(page).locator(".overview .plot"));
      await page.waitForFunction(
        () => document.getElementById("forecasts-1").dataset.from !== "0",
      );
      const [from, to] = (await shown(page)).map(Number);
      assert.ok(from > 250 && from < 350, `from ${from}`);
      assert.ok(to > 550 && to < 650, `to ${to}`);
    }));

  test("lets its reader choose between hours, weekdays and months", () =>
    open("hours.html", {}, async (page) => {
      const choice = page.locator("#errors-by");
      assert.deepEqual(await choice.locator("option").allTextContents(), [
        "Hour of day",
        "Weekday",
        "Month",
      ]);
      await choice.locator("select").selectOption("Month");
      await allDrawn(page);
      const labels = await page.locator("#errors-by-3 svg .role-axis-label text").allTextContents();
      assert.deepEqual(labels.slice(0, 2), ["Mar", "Apr"]);
      assert.ok(await page.locator("#errors-by-1").isHidden());
    }));
});

describe("taking things along", () => {
  async function downloaded(page, button) {
    const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  }

  test("every visible chart is saved as SVG and as PNG", () =>
    open("run.html", {}, async (page) => {
      for (const figure of await page.locator("figure.chart:visible").all()) {
        const id = await figure.getAttribute("id");
        const svg = await downloaded(
          page,
          figure.getByRole("button", { name: /^Save chart .* as SVG$/ }),
        );
        assert.equal(svg.name, `${id}.svg`);
        const text = svg.bytes.toString();
        assert.ok(text.startsWith("<svg"), text.slice(0, 40));
        const title = await figure.locator("h3").textContent();
        const parsed = await page.evaluate((text) => {
          const image = new DOMParser().parseFromString(text, "image/svg+xml");
          return { root: image.documentElement.nodeName, text: image.documentElement.textContent };
        }, text);
        assert.equal(parsed.root, "svg");
        assert.ok(parsed.text.includes(title), `${title} is not in ${svg.name}`);

        const png = await downloaded(
          page,
          figure.getByRole("button", { name: /^Save chart .* as PNG$/ }),
        );
        assert.equal(png.name, `${id}.png`);
        assert.equal(png.bytes.subarray(0, 8).toString("latin1"), "\x89PNG\r\n\x1a\n");
        assert.ok(png.bytes.readUInt32BE(16) >= 1800, "twice 900 pixels wide");
        assert.ok(png.bytes.length > 3000, `${png.bytes.length} bytes`);
      }
    }));

  const fieldsOf = (line) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
      quoted === undefined ? plain : quoted.replaceAll('""', '"'),
    );

  for (const clipboard of [
    "with the clipboard",
    "where the browser keeps the clipboard from the page",
  ]) {
    test(`every visible table is copied with its exact numbers, ${clipboard}`, () =>
      open("run.html", {}, async (page) => {
        if (clipboard !== "with the clipboard") {
          await page.evaluate(() =>
            Object.defineProperty(navigator, "clipboard", { value: undefined }),
          );
        }
        const area = await page.evaluateHandle(() =>
          document.body.appendChild(document.createElement("textarea")),
        );
        const tables = await page.locator("figure.table:visible").all();
        assert.ok(tables.length > 0);
        for (const figure of tables) {
          await figure.getByRole("button", { name: /^Copy table/ }).click();
          await figure.getByText("Copied", { exact: true }).waitFor();
          await area.evaluate((element) => {
            element.value = "";
            element.focus();
          });
          await page.keyboard.press("Control+V");
          const pasted = (await area.inputValue()).trimEnd().split("\n").map(fieldsOf);
          const exact = await figure
            .locator("table")
            .evaluate((table) =>
              [...table.rows].map((row) =>
                [...row.cells].map((cell) => cell.dataset.value ?? cell.textContent.trim()),
              ),
            );
          assert.deepEqual(pasted, exact);
        }
        assert.match(await page.getByRole("status").first().textContent(), /^Copied table /);
      }));
  }
});

describe("on screens and on paper", () => {
  const luminance = (colour) => {
    const [red, green, blue] = colour.match(/[\d.]+/g).map((part) => {
      const share = Number(part) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };

  // Charts whose drawing is wider than its place, or text in it (which only SVG can be asked for).
  const tooWide = (page) =>
    page.locator("figure.chart:visible").evaluateAll((figures) =>
      figures
        .filter((figure) => {
          const place = figure.querySelector(".plot").getBoundingClientRect();
          const svg = figure.querySelector("svg");
          const drawn =
            svg?.width.baseVal.value ?? parseFloat(figure.querySelector("canvas").style.width);
          return (
            drawn > place.width + 1 ||
            [...figure.querySelectorAll("svg text")]
              .map((text) => text.getBoundingClientRect())
              .some((text) => text.left < place.left - 1 || text.right > place.right + 1)
          );
        })
        .map((figure) => figure.id),
    );

  for (const name of ["run", "hours", "stores", "quantiles", "suite", "training"]) {
    for (const width of [1280, 390]) {
      for (const scheme of ["light", "dark"]) {
        test(`${name}, ${width} pixels wide, ${scheme}: nothing overflows, text stands out`, () =>
          open(`${name}.html`, { width, scheme }, async (page) => {
            const picture = join(screenshots, `${name}-${width}-${scheme}.png`);
            await page.screenshot({ path: picture, fullPage: true });
            const [content, screen] = await page.evaluate(() => [
              document.documentElement.scrollWidth,
              document.documentElement.clientWidth,
            ]);
            assert.ok(content <= screen, `${content} wide on a screen of ${screen}`);
            assert.deepEqual(await tooWide(page), []);

            const colour = (selector, property) =>
              page
                .locator(selector)
                .first()
                .evaluate((element, property) => getComputedStyle(element)[property], property);
            const paper = await colour("body", "backgroundColor");
            assert.equal(luminance(paper) > 0.5, scheme === "light");
            assert.ok(contrast(await colour("body", "color"), paper) >= 7);
            for (const caption of ["figcaption", "figcaption h3", "figcaption p"]) {
              assert.ok(contrast(await colour(caption, "color"), paper) >= 4.5, caption);
            }
            const label = await colour(".plot svg .role-axis-label text", "fill");
            assert.ok(contrast(label, paper) >= 4.5, "axis labels");
          }));
      }
    }
  }

  test("charts fit again when the window changes its width", () =>
    open("run.html", {}, async (page) => {
      await page.setViewportSize({ width: 600, height: 900 });
      await page.waitForFunction(() =>
        [...document.querySelectorAll(".plot svg")].every((svg) => svg.width.baseVal.value <= 600),
      );
      await allDrawn(page);
      assert.deepEqual(await tooWide(page), []);
    }));

  test("the button changes between light and dark, charts included", () =>
    open("run.html", {}, async (page) => {
      const colours = () =>
        page.evaluate(() => [
          getComputedStyle(document.body).backgroundColor,
          document.querySelector(".plot svg .role-axis-label text").getAttribute("fill"),
        ]);
      const light = await colours();
      await page.getByRole("button", { name: "Switch to dark colours" }).click();
      await allDrawn(page);
      const dark = await colours();
      assert.ok(
        luminance(dark[0]) < 0.1 && luminance(dark[1]) > luminance(light[1]),
        `${light} ${dark}`,
      );
      await page.getByRole("button", { name: "Switch to light colours" }).click();
      await allDrawn(page);
      assert.deepEqual(await colours(), light);
    }));

  test("printed from a dark screen: light, without buttons, charts within the paper", () =>
    open("run.html", { scheme: "dark" }, async (page) => {
      await page.pdf({ path: join(screenshots, "run.pdf"), format: "A4" });
      assert.ok(statSync(join(screenshots, "run.pdf")).size > 10000);
      await allDrawn(page);
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      for (const button of await page.locator("button, nav, input").all())
        assert.ok(await button.isHidden());
      const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      assert.ok(luminance(paper) > 0.9);
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      const label = await page
        .locator(".plot svg .role-axis-label text")
        .first()
        .getAttribute("fill");
      assert.ok(contrast(label, paper) >= 4.5, "charts are drawn for paper, too");
    }));
});

describe("numbers", () => {
  const rowsOf = (page, id) =>
    page.locator(`#${id} table`).evaluate((table) => {
      const keys = [...table.tHead.rows[0].cells].map((cell) => cell.dataset.key);
      return [...table.tBodies[0].rows].map((row) => ({
        name: row.cells[0].textContent,
        values: [...row.cells]
          .slice(1)
          .map((cell, index) => [keys[index + 1], cell.dataset.value, cell.textContent]),
      }));
    });

  // Rows of a table beside the objects that they stand for, in their order.
  const rowsEqual = (rows, objects) => {
    assert.equal(rows.length, objects.length);
    rows.forEach(({ values }, row) => {
      for (const [key, value, text] of values.filter(([key]) => key)) {
        const expected = key.split(".").reduce((part, step) => part?.[step], objects[row]);
        if (typeof expected === "string") assert.equal(value ?? text, expected, `${row} ${key}`);
        else if (value === undefined) assert.equal(expected ?? null, null, `${row} ${key}`);
        else assert.equal(Number(value), expected, `${row} ${key}`);
      }
    });
  };

  test("of a run equal its JSON to the last digit", async () => {
    const methods = "fixed-share,hedge,guard,ml-poly";
    const result = JSON.parse(
      pcgs(`run losses.csv --method ${methods} --switches 5,20 --json --report numbers.html`),
    );
    await open("numbers.html", {}, async (page) => {
      const rows = await rowsOf(page, "methods");
      rowsEqual(rows, rows.map(({ name }) => result.methods.find((method) => method.name === name)));
      for (const { values } of rows) {
        for (const key of ["total_loss", "dynamic_regret.5", "dynamic_regret.20"]) {
          assert.ok(
            values.some(([name, value]) => name === key && value),
            `${key} has a column`,
          );
        }
      }
      assert.deepEqual(
        rows.map((row) => row.name).sort(),
        result.methods.map((method) => method.name).sort(),
      );
    });
  });

  test("of forecasts equal their JSON: headline, figures, errors, coming forecasts, intervals", () =>
    open("hours.html", {}, async (page) => {
      const [combination] = hours.errors;
      const best = hours.errors.find(({ name }) => name === hours.beside_best.name);
      const equal = hours.errors.find(({ name }) => name === "equal weights");
      const lead = (await page.locator("#summary .lead").textContent()).replaceAll("\u00a0", " ");
      const perCent = ({ difference }) => {
        const size = Math.abs(difference);
        return `${size.toFixed(size < 9.95 ? 1 : 0)} % ${difference < 0 ? "below" : "above"}`;
      };
      for (const part of [
        `(RMSE ${Number(combination.rmse.toPrecision(4))})`,
        `${perCent(hours.beside_best)} that of your best model, ${hours.beside_best.name}`,
        `${perCent(hours.beside_equal_weights)} that of equal weights`,
      ]) {
        assert.ok(lead.includes(part), `${part} is not in ${lead}`);
      }
      const figures = await page
        .locator("#summary .figures b")
        .evaluateAll((all) => all.map((figure) => Number(figure.dataset.value)));
      assert.deepEqual(figures, [combination.rmse, best.rmse, equal.rmse, hours.next[0].forecast]);

      rowsEqual(await rowsOf(page, "errors"), hours.errors);
      rowsEqual(await rowsOf(page, "coming"), hours.next.slice(0, 12));
      rowsEqual(await rowsOf(page, "intervals"), hours.methods.at(-1).intervals);
    }));

  test("of many series equal their JSON, the worst series first", () =>
    open("stores.html", {}, async (page) => {
      rowsEqual(await rowsOf(page, "errors"), stores.errors);
      const difference = ({ beside_best }) => beside_best.difference;
      const sorted = stores.series.toSorted((a, b) => difference(b) - difference(a));
      rowsEqual(await rowsOf(page, "series-table"), sorted);
    }));

  test("of quantiles equal their JSON: scores, parts, and those of places, horizons and series", () =>
    open("quantiles.html", {}, async (page) => {
      rowsEqual(await rowsOf(page, "scores-table"), quantiles.errors);
      rowsEqual(await rowsOf(page, "series-table"), quantiles.series);
      const of = (name) => quantiles.by_value.filter(({ column }) => column === name);
      rowsEqual(await rowsOf(page, "by-1-table"), of("place"));
      rowsEqual(await rowsOf(page, "by-2-table"), of("ahead"));
    }));

  test("of a training equal its JSON at the step that was kept", () =>
    open("training.html", {}, async (page) => {
      const kept = training.course.checks.find(({ step }) => step === training.best_step);
      rowsEqual(await rowsOf(page, "held-out-scores-table"), kept.held_out);
      const options = await rowsOf(page, "options-table");
      assert.deepEqual(
        options.map(({ name }) => name),
        Object.keys(training.options).map((name) => `--${name}`),
      );
      assert.deepEqual(await foreignElements(page), []);
    }));

  test("of a study equal its JSON to the last digit", () =>
    open("suite.html", {}, async (page) => {
      const rows = await rowsOf(page, "means");
      assert.ok(rows.length >= 4);
      for (const family of studies.main.families) {
        for (const method of family.methods) {
          const row = rows.find((row) => row.name === method.name);
          const [, value] = row?.values.find(([key]) => key === family.name) ?? [];
          assert.equal(Number(value), method.mean, `${method.name} in ${family.name}`);
        }
      }
    }));
});

test("20,000 rounds of 32 experts make a page below 5 MB that draws", async (context) => {
  writeNpy("large.npy", 20000, 32);
  writeFileSync(
    file("large.json"),
    pcgs("run large.npy --method fixed-share,hedge,adahedge --trace large.csv --json"),
  );
  const started = performance.now();
  pcgs("report large.json large.csv --out large.html");
  context.diagnostic(`written in ${((performance.now() - started) / 1000).toFixed(2)} s`);
  const { size } = statSync(file("large.html"));
  context.diagnostic(`${size} bytes`);
  assert.ok(size < 5_000_000, `${size} bytes`);
  await open("large.html", {}, async (page) => {
    const first = await page.evaluate(() => window.firstChartAfter);
    context.diagnostic(`first chart after ${(first / 1000).toFixed(2)} s`);
    assert.deepEqual(await chartsNotDrawn(page), []);
  });
});

test("the Tab key reaches everything that can be used, and all of it has a name", () =>
  open("run.html", {}, async (page) => {
    const usable = "a[href], button, select, input, [tabindex='0']";
    const all = await page.evaluate((usable) => {
      const shown = [...document.querySelectorAll(usable)].filter((element) =>
        element.checkVisibility(),
      );
      return shown.map((element, index) => {
        element.dataset.stop = index;
        return {
          tag: element.tagName,
          name: element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent,
        };
      });
    }, usable);
    for (const { tag, name } of all) assert.ok(name.trim(), `${tag} has no name`);
    for (const tag of ["A", "BUTTON", "SELECT", "INPUT", "DIV"]) {
      assert.ok(
        all.some((stop) => stop.tag === tag),
        `the page has ${tag}`,
      );
    }
    const reached = new Set();
    for (let press = 0; press < all.length; ++press) {
      await page.keyboard.press("Tab");
      reached.add(await page.evaluate(() => document.activeElement.dataset.stop));
    }
    const missed = all.filter((_, index) => !reached.has(String(index)));
    assert.deepEqual(missed, []);
  }));
