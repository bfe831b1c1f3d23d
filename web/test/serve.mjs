// Opens a served page in a real browser and tries sentences: node serve.mjs URL REPORT.json [FOLDER-FOR-PICTURES]
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { browser, fitsTheScreen, kPhone, kScreen, openPage } from "./browser.mjs";

const [url, reportFile, pictures] = process.argv.slice(2);
const report = JSON.parse(readFileSync(reportFile, "utf8"));
const open = (options) => openPage(url, new RegExp(`^(${new URL(url).origin}|data:|blob:)`), "#bench", options);

const { page, wrong } = await open(kScreen);
// The token does not stay in the address.
assert.equal(new URL(page.url()).search, "");
const shown = await page.$$eval("#overview tbody tr", (rows) => rows.map((r) => r.children[1].textContent));
assert.deepEqual(shown, report.totals.map((t) => t.accuracy.toFixed(4)));

// An item's tokens are fetched when it is opened.
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
for (const text of await page.$$eval("#bench .model", (all) => all.map((m) => m.textContent))) assert.match(text, /prefers “Der Autor lach/);
assert.ok((await page.locator("#bench .token.locus").count()) >= 4);
const rows = await page.$$eval("#bench table tbody tr", (all) => all.map((r) => [...r.children].map((c) => c.textContent)));
assert.equal(rows.length, 3);
assert.equal(rows[0].length, 3);
// The difference is that of the two rows above it.
for (const k of [1, 2]) assert.ok(Math.abs(rows[0][k] - rows[1][k] - rows[2][k]) < 2e-4);
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

// What cannot be done is said.
await page.fill("#bench textarea", "  ");
await page.click("#bench button[type=submit]");
assert.match(await page.textContent("#bench .status"), /Type a sentence/);
await page.fill("#bench textarea", "x".repeat(1500));
await page.click("#bench button[type=submit]");
await page.waitForFunction(() => /characters/.test(document.querySelector("#bench .status").textContent));
assert.deepEqual(wrong.filter((w) => !/400/.test(w)), []);

// A phone in the dark: nothing is wider than the screen, with answers shown.
const small = await open(kPhone);
await small.page.fill("#bench textarea", "Der Autor lacht.\nDer Autor lachen.\nDer Autor [MASK] .");
await small.page.click("#bench button[type=submit]");
await small.page.waitForSelector("#bench .guesses", { timeout: 60000 });
assert.ok(await fitsTheScreen(small.page));
assert.deepEqual(small.wrong, []);
if (pictures) await small.page.screenshot({ path: `${pictures}/serve-phone.png` });
await browser.close();
console.log("the served page works");
