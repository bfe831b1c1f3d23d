// Opens a report in a real browser and uses it: node page.mjs PAGE.html REPORT.json [FOLDER-FOR-PICTURES]
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { browser, fitsTheScreen, kPhone, kScreen, openPage } from "./browser.mjs";

const [file, reportFile, pictures] = process.argv.slice(2);
const report = JSON.parse(readFileSync(reportFile, "utf8"));
const open = (options) => openPage(pathToFileURL(file).href, /^(file|data|blob):/, ".row", options);

const { page, wrong, seconds } = await open(kScreen);
console.log(`usable after ${seconds.toFixed(2)} s`);

// The numbers are those of the JSON report.
const shown = await page.$$eval("#overview tbody tr", (rows) => rows.map((r) => r.children[1].textContent));
assert.deepEqual(shown, report.totals.map((t) => t.accuracy.toFixed(4)));

// Every section draws something.
for (const id of await page.$$eval("main section", (all) => all.map((s) => s.id))) {
  await page.locator(`#${id}`).scrollIntoViewIfNeeded();
  await page.waitForSelector(`#${id}[data-drawn]`, { timeout: 30000 });
}
assert.ok((await page.locator("figure svg").count()) > 3);

// Filtering and sorting.
const status = () => page.textContent("#items .status");
const all = await status();
await page.selectOption('select[aria-label="Outcome"]', "w");
const wrongItems = await status();
assert.notEqual(wrongItems, all);
assert.equal(await page.textContent("#items .row .mark"), "wrong");
await page.selectOption('select[aria-label="Outcome"]', "");
await page.selectOption('select[aria-label="Order"]', "margin");
const lowest = await page.$$eval("#items .row .margin", (cells) => cells.slice(0, 5).map((c) => Number(c.textContent)));
assert.deepEqual(lowest, [...lowest].sort((a, b) => a - b));
await page.fill("#items input[type=search]", "no sentence has this in it");
assert.match(await status(), /^0 of/);
await page.fill("#items input[type=search]", "");
assert.equal(await status(), all);

// The keyboard alone opens an item with its tokens.
await page.focus("#items .list");
await page.keyboard.press("ArrowDown");
await page.waitForSelector("#items .detail .tokens", { timeout: 30000 });
const first = await page.textContent("#items .detail h3");
await page.keyboard.press("ArrowDown");
await page.waitForFunction((before) => document.querySelector("#items .detail h3").textContent !== before, first);
if (pictures) await page.screenshot({ path: `${pictures}/report-light-items.png` });

// Copying.
const latex = page.locator("#overview button", { hasText: "LaTeX" });
await latex.click();
await page.waitForFunction(() => document.querySelector("#overview button").textContent !== "Copy as LaTeX");

if (pictures) {
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: `${pictures}/report-light.png` });
}
assert.deepEqual(wrong, []);

// A phone in the dark: nothing is wider than the screen.
const small = await open(kPhone);
assert.ok(await fitsTheScreen(small.page));
assert.deepEqual(small.wrong, []);
if (pictures) {
  await small.page.screenshot({ path: `${pictures}/report-phone.png` });
  const dark = await open({ ...kScreen, colorScheme: "dark" });
  await dark.page.screenshot({ path: `${pictures}/report-dark.png` });
  await dark.page.locator("#intervals").scrollIntoViewIfNeeded();
  await dark.page.waitForSelector("#intervals svg");
  await dark.page.locator("#intervals").screenshot({ path: `${pictures}/report-dark-intervals.png` });
}
await browser.close();
console.log("the page works");
