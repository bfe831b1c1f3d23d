// A report of designs: node designs.mjs PAGE.html REPORT.json
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import {
  accessible,
  browser,
  drawAll,
  fitsTheScreen,
  kPhone,
  kScreen,
  onPaper,
  openPage,
  textsApart,
} from "./browser.mjs";

const { page, wrong } = await openPage(
  pathToFileURL(process.argv[2]).href,
  /^(file|data|blob):/,
  "#matrix .cell",
  kScreen,
);
await drawAll(page);
const plot = page.locator("#regions svg.panel");
assert.equal(await plot.count(), 1);
const texts = await plot.locator("text").allTextContents();
for (const text of ["np", "v", "plain", "odd"]) assert.ok(texts.includes(text), text);
// Bits, with an interval around each mean.
const means = await plot.locator("path title").allTextContents();
assert.ok(
  means.some((t) => /^odd, v: 7\.\d\d bits over 6 items$/.test(t)),
  means.join("; "),
);
assert.ok((await plot.locator("line[style*='stroke-opacity']").count()) >= 2);
await page.click("#matrix button.cell");
await page.waitForSelector(".opened table:not(.matrix)");
assert.match(await page.textContent(".opened table:not(.matrix)"), /v in odd > v in plain/);
await page.focus("#items .list");
await page.keyboard.press("ArrowDown");
await page.waitForSelector("#items .detail .region");
assert.deepEqual(
  await page.$$eval("#items .detail .of-design", (all) => all.map((x) => x.textContent)),
  ["plain", "odd"],
);
await accessible(page, "designs");
await textsApart(page, "designs");
await onPaper(page, "designs");
const small = await openPage(
  pathToFileURL(process.argv[2]).href,
  /^(file|data|blob):/,
  "#matrix .cell",
  kPhone,
);
await drawAll(small.page);
assert.ok(await fitsTheScreen(small.page));
await accessible(small.page, "designs on a phone");
assert.deepEqual([...wrong, ...small.wrong], []);
await browser.close();
