// A file that has only what was found inside a model, and no scores: node only_inside.mjs PAGE.html
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import {
  accessible,
  browser,
  drawAll,
  fitsTheScreen,
  kPhone,
  kScreen,
  openPage,
} from "./browser.mjs";

for (const options of [kScreen, kPhone]) {
  const { page, wrong } = await openPage(
    pathToFileURL(process.argv[2]).href,
    /^(file|data|blob):/,
    "#inside",
    options,
  );
  await drawAll(page);
  await page.waitForSelector("#inside .sweep svg.panel");
  assert.deepEqual(await page.$$eval("main section", (all) => all.map((s) => s.id)), ["inside"]);
  assert.match(await page.title(), /minpair: \S/);
  assert.ok(await fitsTheScreen(page));
  await accessible(page, `effects alone at ${options.viewport.width}`);
  assert.deepEqual(wrong, []);
  await page.context().close();
}
await browser.close();
