// Opens a report in a real browser and uses it: node page.mjs PAGE.html REPORT.json [FOLDER-FOR-
// PICTURES]
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
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

const [file, reportFile, pictures] = process.argv.slice(2);
const report = JSON.parse(readFileSync(reportFile, "utf8"));
const address = pathToFileURL(file).href;
const open = (options, hash = "") =>
  openPage(address + hash, /^(file|data|blob):/, "#matrix .cell", options);

const { page, wrong, seconds } = await open(kScreen);
console.log(`usable after ${seconds.toFixed(2)} s`);
const four = (x) => x.toFixed(4);
const columns = () => page.$$eval("#matrix .matrix-place thead th", (all) => all.length - 2);
const numbers = () =>
  page.$$eval("#matrix .matrix-place tbody tr:not(.section)", (rows) =>
    rows.map((r) => [...r.querySelectorAll(".cell")].map((c) => c.textContent)),
  );
const hash = () => page.evaluate(() => decodeURIComponent(location.hash));

// The numbers are those of the JSON report.
assert.deepEqual(
  await page.$$eval("#found .headline strong", (all) => all.map((x) => x.textContent)),
  report.totals.map((t) => four(t.accuracy)),
);
const tests = [...new Set(report.results.map((r) => r.test))];
const runs = [...new Set(report.results.map((r) => `${r.model} ${r.method}`))];
const expected = [
  ...tests.map((t) => report.results.filter((r) => r.test === t)),
  report.totals,
].map((row) => row.map((r) => four(r.accuracy)));
assert.deepEqual(await numbers(), expected);
assert.equal(await columns(), runs.length + 2); // and what was published

await drawAll(page);
assert.ok((await page.locator("figure svg.panel").count()) > 5);
assert.match(await page.textContent("#tests .legend"), /humans \(published/);
await accessible(page, "the whole page");
await textsApart(page, "the whole page");

// What is shown can be chosen, and the address says so.
const menu = async (title, value, on) => {
  await page.click(`details.menu summary:has-text("${title}")`);
  await page.locator(`details.menu[open] input[value="${value}"]`).setChecked(on);
  await page.keyboard.press("Escape");
};
await menu("Models", "B", false);
assert.equal(await columns(), runs.length + 1);
assert.match(await hash(), /without=B/);
assert.equal(await page.locator("#found .card").count(), 2);
await menu("Methods", "pll", false);
assert.equal(await columns(), runs.length);
await menu("Methods", "pll", true);
await menu("Models", "B", true);
assert.equal(await hash(), "");
await menu("Tests", "easy", false);
assert.equal((await numbers()).length, 2);
await menu("Tests", "easy", true);
await page.selectOption('select[aria-label="Norm"]', "mean");
assert.match(await hash(), /norm=mean/);
assert.notDeepEqual(await numbers(), expected);
await page.selectOption('select[aria-label="Norm"]', "");
await page.selectOption('select[aria-label="Lengths"]', "equal");
assert.notDeepEqual(
  await page.$$eval("#matrix tbody td:last-child", (all) => all.map((x) => x.textContent)),
  [],
);
assert.match(await page.textContent("#found .card"), /unequal|lengths/);
await page.selectOption('select[aria-label="Lengths"]', "");
assert.deepEqual(await numbers(), expected);
await page.click("#matrix thead button.head >> nth=0");
const sorted = (await numbers()).slice(0, -1).map((r) => Number(r[0]));
assert.deepEqual(
  sorted,
  [...sorted].sort((a, b) => b - a),
);
await page.click("#matrix thead button.head >> nth=0");

// From the matrix with the keyboard: a cell, its conditions and margins, its items.
await page.focus("#matrix .cell[tabindex='0']");
await page.keyboard.press("ArrowDown");
await page.keyboard.press("ArrowRight");
await page.keyboard.press("Enter");
await page.waitForSelector(".opened .margins svg.panel");
assert.match(await page.textContent(".opened h3"), /A hard test/);
assert.equal(await page.locator("#matrix .matrix-place .cell[aria-pressed='true']").count(), 1);
assert.equal(await page.locator(".opened .matrix tbody tr").count(), 2);
assert.match(await hash(), /test=hard/);
const _status = () => page.textContent("#items .status");
await page.waitForFunction(() =>
  /^101 of 201/.test(document.querySelector("#items .status").textContent),
);
await page.click(".opened .matrix .cell >> nth=0");
await page.waitForFunction(() => /condition=/.test(location.hash));
await accessible(page, "with a test opened");
if (pictures) await page.screenshot({ path: `${pictures}/report-light-opened.png` });
await page.goBack();
assert.ok(!/condition=/.test(await hash()));
await page.click(".opened .close");
assert.equal(await page.locator(".opened").count(), 0);

// Items are filtered, sorted and found.
const waitStatus = (text) =>
  page.waitForFunction(
    (t) => new RegExp(t).test(document.querySelector("#items .status").textContent),
    text,
  );
await waitStatus("^201 of");
await page.selectOption('select[aria-label="Outcome"]', "w");
await page.waitForFunction(
  () => !/^201 of/.test(document.querySelector("#items .status").textContent),
);
assert.equal(await page.textContent("#items .list .row .mark"), "wrong");
await page.selectOption('select[aria-label="Outcome"]', "");
await page.selectOption('select[aria-label="Order"]', "low");
await waitStatus("^201 of");
const lowest = await page.$$eval("#items .list .margin", (cells) =>
  cells.slice(0, 5).map((c) => Number(c.textContent.replace("\u2212", "-"))),
);
assert.deepEqual(
  lowest,
  [...lowest].sort((a, b) => a - b),
);
await page.fill("#items input[type=search]", "no sentence has this in it");
await waitStatus("^0 of");
assert.ok(
  await page.evaluate(() => document.activeElement.type === "search"),
  "typing keeps the place",
);
await page.fill("#items input[type=search]", "");
await waitStatus("^201 of");

// The keyboard alone opens an item with its tokens, and a link leads there.
await page.focus("#items .list");
await page.keyboard.press("ArrowDown");
await page.waitForSelector("#items .detail .tokens");
const first = await page.textContent("#items .detail h3");
await page.keyboard.press("ArrowDown");
await page.waitForFunction(
  (before) => document.querySelector("#items .detail h3").textContent !== before,
  first,
);
const second = await page.textContent("#items .detail h3");
const there = await open(kScreen, await page.evaluate(() => location.hash));
await there.page.waitForSelector("#items .detail .tokens");
assert.equal(await there.page.textContent("#items .detail h3"), second);
assert.ok(
  await there.page.evaluate(
    () => document.querySelector("#items").getBoundingClientRect().top < innerHeight,
  ),
);
const gone = await open(kScreen, "#item=nothing&test=nowhere&run=99&norm=strange&suite=other");
assert.deepEqual([...there.wrong, ...gone.wrong], []);

// Figures follow what is chosen; they and the tables can be taken away.
await page.selectOption('select[aria-label="Feature"]', "distance");
assert.match(await hash(), /feature=distance/);
assert.ok((await page.locator("#features svg.panel").count()) >= 3);
await page.selectOption('select[aria-label="Second run"]', "2");
await page.waitForSelector("#against .counts");
assert.match(await hash(), /against=0-2/);
const [download] = await Promise.all([
  page.waitForEvent("download"),
  page.click("#tests button:has-text('Save as SVG')"),
]);
const picture = readFileSync(await download.path(), "utf8");
assert.match(picture, /^<svg/);
assert.ok(!/var\(|<script/.test(picture));
await page.click("#matrix button:has-text('Copy as LaTeX')");
await page.waitForFunction(() =>
  [...document.querySelectorAll("#matrix button")].some(
    (b) => b.textContent === "Copied" || b.textContent === "Not allowed",
  ),
);

// Links of the contents lead to sections and leave the address alone.
const before = await hash();
await page.click('nav a[href="#excluded"]');
assert.equal(await hash(), before);
assert.match(await page.textContent("#excluded table"), /too long/);
if (pictures) {
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: `${pictures}/report-light.png` });
}
assert.deepEqual(wrong, []);

// Paper: what nobody has scrolled to is drawn as well, and only the item that is open is printed of
// the items.
const paper = await open(kScreen);
await paper.page.waitForSelector("#margins svg.panel", { state: "attached" });
await paper.page.waitForSelector("#made details", { state: "attached" });
await onPaper(paper.page, "the page");
assert.equal(await paper.page.locator("#items").isVisible(), false);
assert.ok(await paper.page.locator("#matrix thead .head.paper").first().isVisible());
await paper.page.evaluate(() => dispatchEvent(new Event("beforeprint")));
assert.ok(await paper.page.locator("#made dl").first().isVisible());
await paper.page.evaluate(() => dispatchEvent(new Event("afterprint")));
assert.equal(await paper.page.locator("#made details[open]").count(), 0);
const chosen = await open(kScreen, "#item=i3");
await chosen.page.waitForSelector("#items .detail .run");
await onPaper(chosen.page, "an item");
assert.ok(await chosen.page.locator("#items .detail .run").first().isVisible());
assert.deepEqual(chosen.wrong, []);

// A phone in the dark: nothing is wider than the screen.
const small = await open(kPhone, "#test=easy&run=1");
await drawAll(small.page);
assert.ok(await fitsTheScreen(small.page));
await accessible(small.page, "on a phone in the dark");
assert.deepEqual([...small.wrong, ...paper.wrong], []);
if (pictures) {
  await small.page.screenshot({ path: `${pictures}/report-phone.png` });
  const dark = await open({ ...kScreen, colorScheme: "dark" });
  await dark.page.screenshot({ path: `${pictures}/report-dark.png` });
}
await browser.close();
console.log("the page works");
