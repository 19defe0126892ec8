// A picture of a report page: light, in twice the pixels, its top or the first element that a
// selector finds. Needs Chromium, and make to have run.
//
//   node scripts/screenshot.mjs PAGE.html OUT.png [WIDTH] [SELECTOR] [HEIGHT]
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const built = new URL("../build/release/web/node_modules", import.meta.url).pathname;
const modules = process.env.PCGS_WEB_MODULES ?? built;
const { chromium } = createRequire(resolve(modules, "any"))("playwright-core");

const [page, picture, width = "1280", selector, height] = process.argv.slice(2);
if (!picture) {
  console.error("usage: node scripts/screenshot.mjs PAGE.html OUT.png [WIDTH] [SELECTOR] [HEIGHT]");
  process.exit(2);
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
const tab = await browser.newPage({
  viewport: { width: Number(width), height: 900 },
  deviceScaleFactor: 2,
  colorScheme: "light",
  offline: true,
});
await tab.goto(pathToFileURL(resolve(page)).href);
await tab.waitForFunction(() => document.documentElement.dataset.drawn === "yes");
// What sticks to the top of the screen would cover a chart.
await tab.addStyleTag({ content: "nav, .window { position: static !important }" });
const margin = 32;
const box = selector && (await tab.locator(selector).first().boundingBox());
const clip = box && {
  x: Math.max(0, box.x - margin),
  y: Math.max(0, box.y - margin),
  width: Math.min(box.width + 2 * margin, Number(width)),
  height: height ? Number(height) : box.height + 2 * margin,
};
await tab.screenshot(clip ? { path: picture, fullPage: true, clip } : { path: picture });
await browser.close();
