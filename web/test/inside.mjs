// What was found inside a model: node inside.mjs PAGE.html EFFECTS.json OVERLAP.json
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
} from "./browser.mjs";

const [file, effectsFile, overlapFile] = process.argv.slice(2);
// minpair effects --by test --format json
const tables = JSON.parse(readFileSync(effectsFile, "utf8")).tables;

const overlap = JSON.parse(readFileSync(overlapFile, "utf8")).tables; // and with --overlap 5

for (const options of [kScreen, kPhone]) {
  const { page, wrong } = await openPage(
    pathToFileURL(file).href,
    /^(file|data|blob):/,
    "#matrix .cell",
    options,
  );
  await drawAll(page);
  await page.waitForSelector("#inside .sweep");
  assert.equal(await page.locator("#inside .sweep").count(), tables.length);
  // The heat map has the numbers of the table.
  const patch = tables.find((t) => t.kind === "patch" && !("index" in t.rows[0]));
  const first = patch.rows.some((r) => r.test === "all") ? "all" : patch.rows[0].test;
  const rows = patch.rows.filter((r) => r.test === first && r.layer !== null);
  const cells = await page.$$eval("#inside .sweep", (all) =>
    [...all.find((s) => s.querySelector(".heat")).querySelectorAll(".heat title")].map(
      (t) => t.textContent,
    ),
  );
  assert.equal(cells.length, rows.length);
  for (const [i, r] of rows.entries())
    assert.ok(
      cells[i].startsWith(
        `${r.at}, layer ${r.layer}: ${r.effect.toFixed(3).replace("-", "\u2212")}`,
      ),
      `${cells[i]} and ${JSON.stringify(r)}`,
    );
  // Curves over layers, tables of heads, coloured words.
  assert.ok((await page.locator("#inside .panel path").count()) > 1);
  // No name at the end of a curve stands on another.
  const ends = await page.$$eval("#inside svg.panel", (all) =>
    all.map((p) =>
      [...p.querySelectorAll("text.end")]
        .map((t) => Number(t.getAttribute("y")))
        .sort((a, b) => a - b),
    ),
  );
  assert.ok(ends.some((of) => of.length > 1));
  for (const of of ends)
    assert.ok(
      of.every((y, i) => !i || y - of[i - 1] >= 11.9),
      String(of),
    );
  assert.ok((await page.locator("#inside mark.effect").count()) > 2);
  const chosen = page.locator("#inside select[aria-label^='Sentence']").first();
  const second = await chosen.locator("option").nth(1).getAttribute("value");
  await chosen.selectOption(second);
  await page.waitForFunction(
    (id) =>
      document.querySelector("#inside .one-sentence caption").textContent.startsWith(`${id}:`),
    second,
  );
  // Another group of items, other numbers.
  const group = page.locator("#inside select[aria-label^='Items']").first();
  await group.selectOption({ index: 1 });
  await page.waitForFunction(
    (old) => document.querySelector("#inside .heat title").textContent !== old,
    cells[0],
  );
  // What the strongest parts share: groups against groups, both ways, each with itself once.
  const overlaps = overlap.filter((t) => t.rows.length);
  assert.equal(await page.locator("#inside .overlap").count(), overlaps.length);
  const squares = await page.$$eval("#inside .overlap .shared title", (all) =>
    all.map((t) => t.textContent),
  );
  const itself = overlaps.flatMap((t) => t.rows).filter((r) => r.second === "itself, halves");
  assert.equal(squares.length, 2 * overlaps.flatMap((t) => t.rows).length - itself.length);
  for (const r of itself)
    assert.ok(
      squares.some((s) =>
        s.startsWith(`${r.first} and itself, halves: ${r.shared} of ${r.top} shared`),
      ),
      r.first,
    );
  assert.ok(await fitsTheScreen(page));
  await accessible(page, `inside at ${options.viewport.width}`);
  // What is saved can be drawn by programs that know no mixtures of colours.
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page
      .locator("#inside figure:has(.heat)")
      .first()
      .locator("button:has-text('Save as SVG')")
      .click(),
  ]);
  const picture = readFileSync(await download.path(), "utf8");
  assert.match(picture, /fill:rgb\(\d+,\d+,\d+\)/);
  assert.doesNotMatch(picture, /color-mix|var\(/);
  if (options === kScreen) await onPaper(page, "inside");
  assert.deepEqual(wrong, []);
  await page.context().close();
}
await browser.close();
