// The live page of a service on the loopback, in headless Chromium.
// By hand, after make:
//   PCGS_PROGRAM=build/release/pcgs PCGS_WEB_MODULES=build/release/web/node_modules \
//   PCGS_SCREENSHOTS=build/screenshots node --test tests/serve/live_page_test.mjs
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { file, foreignElements, newContext, program, start, stop } from "../show/pages.mjs";

const screenshots = resolve(process.env.PCGS_SCREENSHOTS);
const token = "correct horse battery";
const hostile = ["<img src=x onerror=alert(1)>", "</script><b>bold", "__proto__", "🦊 fox"];
let service; // without a token
let guarded; // with one

async function serve(store, { port = 0, options = [] } = {}) {
  const started = spawn(
    program,
    ["serve", "--store", file(store), "--listen", `127.0.0.1:${port}`, ...options],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const lines = createInterface({ input: started.stderr });
  const [line] = await once(lines, "line");
  return { process: started, origin: `http://127.0.0.1:${JSON.parse(line).port}` };
}

async function end({ process: running }) {
  running.kill("SIGTERM");
  await once(running, "exit");
}

async function send(method, path, body, { origin } = service) {
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch(origin + path, { method, headers, body: JSON.stringify(body) });
  const text = await answer.text();
  assert.ok(answer.ok, text);
  return JSON.parse(text);
}

// A round of every hostile expert and its outcome; the first is always right.
async function play(stream, t) {
  const y = 100 + 10 * Math.sin(t / 5);
  const forecasts = Object.fromEntries(hostile.map((name, k) => [name, y + 3 * k]));
  await send("POST", `/streams/${stream}/rounds`, { id: `hour ${t}`, forecasts });
  await send("POST", `/streams/${stream}/outcomes`, { id: `hour ${t}`, y });
}

before(async () => {
  await start();
  mkdirSync(screenshots, { recursive: true });
  service = await serve("open");
  writeFileSync(file("token"), token + "\n");
  guarded = await serve("guarded", { options: ["--token-file", file("token")] });
  await send("PUT", "/streams/hostile", { experts: hostile });
  for (let t = 0; t < 40; ++t) await play("hostile", t);
  for (let s = 0; s < 120; ++s) {
    const name = `plain-${String(s).padStart(3, "0")}`;
    await send("PUT", `/streams/${name}`, { experts: ["a", "b"], method: "ml-poly" });
  }
  await send("PUT", "/streams/north", { experts: ["a", "b"] }, guarded);
});

after(async () => {
  for (const one of [service, guarded]) if (one) await end(one);
  await stop();
});

// Opens the page, lets `look` examine it, and fails if it asked anybody else or complained, other than
// by `complaint`.
async function open({ origin }, { scheme = "light", complaint, hash = "" }, look) {
  const context = await newContext({
    viewport: { width: 1280, height: 900 },
    colorScheme: scheme,
  });
  const problems = [];
  const page = await context.newPage();
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin) problems.push(`request for ${url}`);
    if (url.href.includes("horse")) problems.push(`the token in ${url}`);
  });
  page.on("console", (message) => problems.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`error: ${error.stack}`));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  try {
    await page.goto(origin + "/" + hash);
    await look(page, context);
    assert.deepEqual(
      problems.filter((problem) => !complaint?.test(problem)),
      [],
    );
  } finally {
    await context.close();
  }
}

const row = (page, name) => page.locator(`#streams tr[data-stream="${name}"]`);
const learned = (page) => page.locator("#stream .figures b").first();

test("streams are listed page by page, and found by a part of their name", () =>
  open(service, {}, async (page) => {
    await page.getByText("121 streams").waitFor();
    assert.equal(await page.locator("#streams tbody tr").count(), 100);
    const [rounds, waiting, error, equal, beside] = await row(page, "hostile")
      .locator("td")
      .allTextContents();
    assert.deepEqual([rounds, waiting, equal], ["40", "0", "4.5"]);
    assert.match(error, /^RMSE [0-9.e-]+$/);
    assert.match(beside, /^-[0-9.]+ %$/);
    await page.locator("#more").click();
    await row(page, "plain-119").waitFor();
    assert.equal(await page.locator("#streams tbody tr").count(), 21);
    assert.ok(await page.locator("#more").isDisabled());
    await page.locator("#back").click();
    await row(page, "hostile").waitFor();
    await page.locator("input[type=search]").fill("HOST");
    await row(page, "plain-000").waitFor({ state: "detached" });
    assert.equal(await page.locator("#streams tbody tr").count(), 1);
    await page.locator("input[type=search]").fill("nothing like it");
    await page.getByText("There is no such stream.").waitFor();
  }));

test("a new outcome changes what is shown, without a reload", () =>
  open(service, {}, async (page) => {
    await row(page, "hostile").getByRole("button").click();
    await learned(page).getByText("40", { exact: true }).waitFor();
    assert.equal(await page.locator("#forecasts .outcome").count(), 40);
    const course = await page.locator("#course path").first().getAttribute("d");
    await play("hostile", 40);
    await learned(page).getByText("41", { exact: true }).waitFor();
    await row(page, "hostile").getByRole("cell", { name: "41", exact: true }).waitFor();
    assert.equal(await page.locator("#forecasts .outcome").count(), 41);
    assert.notEqual(await page.locator("#course path").first().getAttribute("d"), course);
    // A round that waits has a ring, and no dot.
    const fox = { id: "to come", forecasts: { [hostile[3]]: 100 } };
    await send("POST", "/streams/hostile/rounds", fox);
    await page.locator("#forecasts .waiting").waitFor({ state: "attached" });
    assert.equal(await page.locator("#forecasts .outcome").count(), 41);
  }));

test("names of experts are shown as text", () =>
  open(service, { hash: "#hostile" }, async (page) => {
    await page.locator("#weights .bar").first().waitFor();
    const names = await page.locator("#weights span:not(.share)").allTextContents();
    assert.deepEqual(names.toSorted(), hostile.toSorted());
    const legend = await page.locator(".legend li").allTextContents();
    assert.deepEqual(legend, names);
    const { weights } = await send("GET", "/streams/hostile");
    const shares = await page.locator("#weights .share").allTextContents();
    names.forEach((name, i) =>
      assert.ok(Math.abs(parseFloat(shares[i]) / 100 - weights[name]) < 0.006, name),
    );
    assert.deepEqual(await foreignElements(page), []);
  }));

test("a token is asked for, sent in a header and kept by this tab only", () =>
  open(guarded, { complaint: /^console error: Failed to load resource.*401/ }, async (page, context) => {
    const input = page.locator("#token input");
    await input.waitFor();
    assert.ok(await page.locator("#streams").isHidden());
    await input.fill("incorrect horse battery");
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByText("That was not it.").waitFor();
    await input.fill(token);
    await page.getByRole("button", { name: "Go on" }).click();
    await row(page, "north").waitFor();
    assert.ok(await input.isHidden());
    await page.reload();
    await row(page, "north").waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.token), token);
    assert.equal(await page.evaluate(() => localStorage.length + document.cookie.length), 0);
    const other = await context.newPage();
    await other.goto(guarded.origin);
    await other.locator("#token input").waitFor();
  }));

test("a service that went away is said to be, and one that is there again is shown again", async () => {
  const mine = await serve("again");
  await send("PUT", "/streams/here", { experts: ["a"] }, mine);
  const port = new URL(mine.origin).port;
  await open(mine, { complaint: /^console error: Failed to load resource/ }, async (page) => {
    await row(page, "here").waitFor();
    await end(mine);
    await page.getByText("No news from the service").waitFor();
    const again = await serve("again", { port });
    await page.getByText("1 stream", { exact: true }).waitFor();
    await end(again);
  });
});

for (const scheme of ["light", "dark"]) {
  test(`the page has ${scheme} colours, and a button for the others`, () =>
    open(service, { scheme, hash: "#hostile" }, async (page) => {
      await page.locator("#course path").first().waitFor({ state: "attached" });
      const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const light = "rgb(253, 252, 250)";
      assert.equal((await paper()) === light, scheme === "light");
      await page.screenshot({ path: join(screenshots, `live-${scheme}.png`), fullPage: true });
      await page.locator("header button.theme").click();
      assert.equal((await paper()) === light, scheme === "dark");
    }));
}
