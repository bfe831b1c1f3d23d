// What the tests in a real browser share. $MINPAIR_WEB is the folder with node_modules; $CHROMIUM the browser.
import { createRequire } from "node:module";

const { chromium } = createRequire(`${process.env.MINPAIR_WEB}/`)("playwright-core");

export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});

/** Opens `url` and waits for `usable`. `wrong` collects errors and requests to anywhere but `allowed`. */
export async function openPage(url, allowed, usable, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const wrong = [];
  page.on("pageerror", (e) => wrong.push(String(e)));
  page.on("console", (m) => m.type() === "error" && wrong.push(m.text()));
  page.on("request", (r) => allowed.test(r.url()) || wrong.push(`asks for ${r.url()}`));
  const begin = Date.now();
  await page.goto(url);
  await page.waitForSelector(`main:not([aria-busy]) ${usable}`, { timeout: 30000 });
  return { page, wrong, seconds: (Date.now() - begin) / 1000 };
}

export const fitsTheScreen = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1);
export const kScreen = { viewport: { width: 1280, height: 900 } };
export const kPhone = { viewport: { width: 390, height: 800 }, colorScheme: "dark" };
