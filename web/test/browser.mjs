// What the tests in a real browser share. $MINPAIR_WEB is the folder with node_modules; $CHROMIUM
// the browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.env.MINPAIR_WEB}/`);
const { chromium } = require("playwright-core");

export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});

/**
 * Opens `url` and waits for `usable`. `wrong` collects errors and requests to anywhere but
 * `allowed`.
 */
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
  await page.waitForFunction(
    () => !/Drawing …|Opening the items …/.test(document.querySelector("main").textContent),
  );
  await page.evaluate(() => scrollTo(0, 0));
}

/** What axe finds wrong in what is shown now, by day and by night. */
export async function accessible(page, where) {
  if (!(await page.evaluate(() => "axe" in window)))
    await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    const found = await page.evaluate(async () => {
      const { violations } = await window.axe.run(document, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
      });
      return violations.map(
        (v) =>
          `${v.id}: ${v.help}\n  ${v.nodes
            .slice(0, 3)
            .map((n) => `${n.target} ${n.failureSummary}`)
            .join("\n  ")}`,
      );
    });
    assert.deepEqual(found, [], `${where}, ${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: null });
}

/**
 * On paper, printed by somebody whose screen is dark: what is too wide, not white, cut off or
 * without its head.
 */
export async function onPaper(page, where) {
  await page.setViewportSize({ width: 700, height: 900 });
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const bad = await page.evaluate(() => {
    const seen = (e) => e.getClientRects().length > 0;
    const bad = [];
    if (document.documentElement.scrollWidth > innerWidth + 1)
      bad.push(`${document.documentElement.scrollWidth} points wide`);
    if (!/^rgb\(255, 255, 255\)$/.test(getComputedStyle(document.body).backgroundColor))
      bad.push(`on ${getComputedStyle(document.body).backgroundColor}`);
    for (const e of document.querySelectorAll("main .scroll"))
      if (
        seen(e) &&
        (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1) &&
        getComputedStyle(e).overflow !== "visible"
      )
        bad.push(`cut: ${e.getAttribute("aria-label")}`);
    for (const e of document.querySelectorAll("main table"))
      if (seen(e) && e.getBoundingClientRect().right > innerWidth + 1)
        bad.push(`wider than the page: ${e.textContent.slice(0, 60)}`);
    // The browser does not repeat buttons on the next page.
    for (const e of document.querySelectorAll("thead button"))
      if (seen(e)) bad.push(`a button as head: ${e.textContent}`);
    for (const e of document.querySelectorAll("nav, .tools, .controls-place, .list, main select"))
      if (seen(e)) bad.push(`shows ${e.className || e.tagName}`);
    return bad;
  });
  assert.deepEqual(bad, [], `${where} on paper`);
}

/** No text of a picture leaves it or stands on another. */
export async function textsApart(page, where) {
  const bad = await page.evaluate(() =>
    [...document.querySelectorAll("main svg.panel")].flatMap((s) => {
      const frame = s.getBoundingClientRect();
      const all = [...s.querySelectorAll("text")]
        .map((t) => ({ text: t.firstChild?.textContent ?? "", r: t.getBoundingClientRect() }))
        .filter((t) => t.r.width > 0);
      const name = s.getAttribute("aria-label");
      const out = all
        .filter(
          ({ r }) =>
            r.right > frame.right + 3 ||
            r.left < frame.left - 3 ||
            r.bottom > frame.bottom + 3 ||
            r.top < frame.top - 3,
        )
        .map((t) => `${name}: “${t.text}” leaves it`);
      const on = all.flatMap((a, i) =>
        all
          .slice(0, i)
          .filter(
            (b) =>
              Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left) > 2 &&
              Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top) > 4,
          )
          .map((b) => `${name}: “${a.text}” on “${b.text}”`),
      );
      return [...out, ...on];
    }),
  );
  assert.deepEqual(bad, [], where);
}

export const fitsTheScreen = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1);
export const kScreen = { viewport: { width: 1280, height: 900 } };
export const kPhone = { viewport: { width: 390, height: 800 }, colorScheme: "dark" };
