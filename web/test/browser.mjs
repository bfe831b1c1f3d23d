// What the tests in a real browser share. $MINPAIR_WEB is the folder with node_modules; $CHROMIUM the browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.env.MINPAIR_WEB}/`);
const { chromium } = require("playwright-core");

export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});

/** Opens `url` and waits for `usable`. `wrong` collects errors and requests to anywhere but `allowed`. */
export async function openPage(url, allowed, usable, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  const wrong = [];
  page.on("pageerror", (e) => wrong.push(String(e)));
  page.on("console", (m) => m.type() === "error" && wrong.push(m.text()));
  page.on("request", (r) => allowed.test(r.url()) || wrong.push(`asks for ${r.url()}`));
  const begin = Date.now();
  await page.goto(url);
  await page.waitForSelector(`main:not([aria-busy]) ${usable}`);
  return { page, wrong, seconds: (Date.now() - begin) / 1000 };
}

/** Every section, drawn and at rest. */
export async function drawAll(page) {
  for (const id of await page.$$eval("main section", (all) => all.map((s) => s.id))) {
    await page.locator(`#${id}`).scrollIntoViewIfNeeded();
    await page.waitForSelector(`#${id}[data-drawn]`);
  }
  await page.waitForFunction(() => !/Drawing …|Opening the items …/.test(document.querySelector("main").textContent));
  await page.evaluate(() => scrollTo(0, 0));
}

/** What axe finds wrong in what is shown now. */
export async function accessible(page, where) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
  const found = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] });
    return violations.map((v) => `${v.id}: ${v.help}\n  ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary}`).join("\n  ")}`);
  });
  assert.deepEqual(found, [], where);
}

export const fitsTheScreen = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1);
export const kScreen = { viewport: { width: 1280, height: 900 } };
export const kPhone = { viewport: { width: 390, height: 800 }, colorScheme: "dark" };
