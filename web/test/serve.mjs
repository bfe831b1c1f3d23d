// Opens a served page in a real browser and tries sentences: node serve.mjs URL REPORT.json
// [FOLDER-FOR-PICTURES]
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import {
  accessible,
  browser,
  fitsTheScreen,
  kPhone,
  kScreen,
  onPaper,
  openPage,
} from "./browser.mjs";

const [url, reportFile, pictures] = process.argv.slice(2);
const report = JSON.parse(readFileSync(reportFile, "utf8"));
const open = (options) =>
  openPage(url, new RegExp(`^(${new URL(url).origin}|data:|blob:)`), "#bench", options);

const { page, wrong } = await open(kScreen);
const version = JSON.parse(
  Buffer.from(await page.textContent("#live"), "base64").toString(),
).version;
// The token does not stay in the address.
assert.equal(new URL(page.url()).search, "");
const totals = (p) => p.$$eval("#found .headline strong", (all) => all.map((x) => x.textContent));
assert.deepEqual(
  await totals(page),
  report.totals.filter((t) => t.lengths !== "equal").map((t) => t.accuracy.toFixed(4)),
);

// An item's tokens are fetched when it is opened.
await page.locator("#items").scrollIntoViewIfNeeded();
await page.waitForSelector("#items .list .row");
await page.focus("#items .list");
await page.keyboard.press("ArrowDown");
await page.waitForSelector("#items .detail .tokens", { timeout: 30000 });

// A pair is scored by two models, with the keyboard alone.
await page.focus("#bench textarea");
await page.keyboard.type("Der Autor lacht.");
await page.keyboard.press("Enter");
await page.keyboard.type("Der Autor lachen.");
await page.keyboard.press("Control+Enter");
await page.waitForSelector("#bench .model .token", { timeout: 60000 });
assert.equal(await page.locator("#bench .model").count(), 2);
for (const text of await page.$$eval("#bench .model", (all) => all.map((m) => m.textContent)))
  assert.match(text, /prefers “Der Autor lach/);
assert.ok((await page.locator("#bench .token.locus").count()) >= 4);
const rows = await page.$$eval("#bench table tbody tr", (all) =>
  all.map((r) => [...r.children].map((c) => c.textContent)),
);
assert.equal(rows.length, 3);
assert.equal(rows[0].length, 3);
// The lead is the difference of the two rows above it, and the better one is bold.
const number = (t) => Number(t.replace("\u2212", "-"));
for (const k of [1, 2])
  assert.ok(
    Math.abs(Math.abs(number(rows[0][k]) - number(rows[1][k])) - number(rows[2][k])) < 2e-4,
  );
assert.equal(await page.locator("#bench td.preferred").count(), 2);
await accessible(page, "the bench");
if (pictures) {
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: `${pictures}/serve-light.png` });
}

// The best predictions for a mask, with one model.
await page.selectOption('select[aria-label="Second model"]', "");
await page.fill("#bench textarea", "Der Autor [MASK] .");
await page.click("#bench button[type=submit]");
await page.waitForSelector("#bench .guesses", { timeout: 60000 });
assert.equal(await page.locator("#bench .guess").count(), 10);
assert.equal(await page.locator("#bench .model").count(), 1);

// Everything asked is in the history, and comes back without being asked again.
assert.equal(await page.locator("#bench .asked li").count(), 2);
await page.click("#bench .asked li:last-child button");
assert.equal(await page.inputValue("#bench textarea"), "Der Autor lacht.\nDer Autor lachen.");
assert.equal(await page.locator("#bench .model").count(), 2);
await page.reload();
await page.waitForSelector("#bench .asked li");
assert.equal(await page.locator("#bench .asked li").count(), 2);
await page.selectOption('select[aria-label="Second model"]', "");

// New results come into the open page; what was typed stays.
await page.fill("#bench textarea", "still here");
await page.evaluate(() => {
  window.kept = true;
});
await page.route("**/version", (r) => r.fulfill({ json: { version: "new" } }));
await page.route("**/data/*?v=new", async (r) =>
  r.fulfill({
    response: await r.fetch({ url: r.request().url().replace("v=new", `v=${version}`) }),
  }),
);
await page.click("header button:has-text('Show them')");
await page.waitForFunction(() => !document.querySelector("header button"));
assert.ok(await page.evaluate(() => window.kept));
assert.equal(await page.inputValue("#bench textarea"), "still here");
assert.deepEqual(
  await totals(page),
  report.totals.filter((t) => t.lengths !== "equal").map((t) => t.accuracy.toFixed(4)),
);
await page.click("#bench .history button:has-text('Clear')");
assert.equal(await page.locator("#bench .history").isVisible(), false);

// What cannot be done is said.
await page.fill("#bench textarea", "  ");
await page.click("#bench button[type=submit]");
assert.match(await page.textContent("#bench .status"), /Type a sentence/);
await page.fill("#bench textarea", "x".repeat(1500));
await page.click("#bench button[type=submit]");
await page.waitForFunction(() =>
  /characters/.test(document.querySelector("#bench .status").textContent),
);
assert.deepEqual(
  wrong.filter((w) => !/400/.test(w)),
  [],
);

// A phone in the dark: nothing is wider than the screen, with answers shown.
const small = await open(kPhone);
await small.page.fill("#bench textarea", "Der Autor lacht.\nDer Autor lachen.\nDer Autor [MASK] .");
await small.page.click("#bench button[type=submit]");
await small.page.waitForSelector("#bench .guesses", { timeout: 60000 });
assert.ok(await fitsTheScreen(small.page));
await accessible(small.page, "the bench on a phone");
// Answers are printed, and not what was typed into.
await onPaper(small.page, "the bench");
assert.ok(await small.page.locator("#bench .model").first().isVisible());
assert.equal(await small.page.locator("#bench textarea").isVisible(), false);
assert.deepEqual(small.wrong, []);
if (pictures) await small.page.screenshot({ path: `${pictures}/serve-phone.png` });
await browser.close();
console.log("the served page works");
