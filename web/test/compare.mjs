// Opens the page of `compare --format page` in a real browser: node compare.mjs PAGE.html
// COMPARISON.json [FOLDER-FOR-PICTURES]
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import {
  accessible,
  browser,
  fitsTheScreen,
  kPhone,
  kScreen,
  onPaper,
  openPage,
  textsApart,
} from "./browser.mjs";

const [file, jsonFile, pictures] = process.argv.slice(2);
const [table, flips] = JSON.parse(readFileSync(jsonFile, "utf8")).tables;
const open = (options) => openPage(pathToFileURL(file).href, /^(file|data|blob):/, ".row", options);

const { page, wrong } = await open(kScreen);
// The numbers are those of the JSON.
const shown = await page.$$eval("table tbody tr", (rows) =>
  rows.map((r) => [3, 4, 5].map((i) => r.children[i].textContent)),
);
assert.deepEqual(
  shown,
  table.rows.map((r) =>
    [r.first, r.second, r.difference].map((x) =>
      x
        .toFixed(4)
        .replace("-", "\u2212")
        .replace(/^\u2212(0\.0000)$/, "$1"),
    ),
  ),
);
assert.equal((await page.locator("figure svg").count()) > 0, true);
// A difference is coloured if Holm's corrected p says so, and not if its interval alone misses 0.
const marks = await page.$$eval("figure svg circle", (all) =>
  all.map((c) => ({ holm: c.textContent.match(/Holm ([\d.]+)/)?.[1], fill: c.style.fill })),
);
assert.deepEqual(
  marks.filter((m) => m.holm).map((m) => m.fill === "var(--soft)"),
  table.rows.filter((r) => typeof r.holm_p === "number").map((r) => r.holm_p >= 0.05),
);
assert.equal(
  new Set(marks.filter((m) => m.holm).map((m) => m.fill)).size,
  2,
  "the suite has one of either kind",
);
// The corrected columns stand before those that are not.
const heads = await page.$$eval("table thead th", (all) => all.map((h) => h.textContent));
assert.ok(
  heads.indexOf("Holm") > 0 &&
    heads.indexOf("p") < heads.indexOf("Holm") &&
    heads.indexOf("BH") < heads.indexOf("McNemar"),
  heads.join(),
);

// The items that flipped: all, one side's, found, opened with the keyboard.
const status = () => page.textContent(".items .status");
assert.match(await status(), new RegExp(`^${flips.rows.length} of ${flips.rows.length} `));
await page.selectOption('select[aria-label="Right"]', "1");
assert.match(
  await status(),
  new RegExp(`^${flips.rows.filter((r) => r.right === "A").length} of `),
);
await page.selectOption('select[aria-label="Right"]', "");
await page.fill("input[type=search]", "nothing has this in it");
assert.match(await status(), /^0 of/);
await page.fill("input[type=search]", "");
await page.focus(".list");
await page.keyboard.press("ArrowDown");
await page.waitForSelector(".detail .token.locus");
assert.equal(await page.textContent(".detail h3"), flips.rows[0].id);
assert.equal(await page.locator('.row[aria-selected="true"]').count(), 1);
if (pictures) await page.screenshot({ path: `${pictures}/compare-light.png`, fullPage: true });
await accessible(page, "the comparison");
await textsApart(page, "the comparison");
assert.deepEqual(wrong, []);

const small = await open(kPhone);
assert.ok(await fitsTheScreen(small.page));
await accessible(small.page, "the comparison on a phone");
// The picture is drawn for the screen, not shrunk to it; the names of the tests stay in sight.
assert.ok(
  await small.page.$eval(
    "figure svg",
    (s) => s.getBoundingClientRect().width > 0.94 * s.getAttribute("width"),
  ),
);
await small.page.$eval(".scroll", (box) => box.scrollTo(400, 0));
assert.ok(await small.page.$eval(".scroll tbody th", (h) => h.getBoundingClientRect().left >= 0));
await onPaper(small.page, "the comparison");
assert.deepEqual(small.wrong, []);
await browser.close();
console.log("the comparison works");
