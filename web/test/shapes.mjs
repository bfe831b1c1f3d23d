// Reports of any shape: node shapes.mjs PAGE.html REPORT.json
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

const [file, reportFile] = process.argv.slice(2);
const report = JSON.parse(readFileSync(reportFile, "utf8"));
const open = (options) =>
  openPage(pathToFileURL(file).href, /^(file|data|blob):/, "#matrix .cell", options);
const models = new Set(report.results.map((r) => r.model)).size;
// Runs of one model have its colour and shape, and each its own filling.
const runs = new Set(report.results.map((r) => `${r.model} ${r.method}`)).size;
const counted = new Set(
  report.totals.filter((t) => t.pairs > 0).map((t) => `${t.model} ${t.method}`),
).size;

// What colour-blind eyes see (Machado, Oliveira and Fernandes 2009, complete), and how far apart
// two colours are (CIE 1976).
const kEyes = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopes: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopes: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopes: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
const times = (m, v) => m.map((row) => row.reduce((sum, x, i) => sum + x * v[i], 0));
function lab(rgb, eyes) {
  const light = times(
    eyes,
    rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4)),
  );
  const [x, y, z] = times(
    [
      [0.4339, 0.3762, 0.1899],
      [0.2126, 0.7152, 0.0722],
      [0.0177, 0.1095, 0.8728],
    ],
    light,
  ).map((t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * Math.max(0, t) + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
const apart = (a, b, eyes) => Math.hypot(...lab(a, eyes).map((x, i) => x - lab(b, eyes)[i]));

for (const options of [kScreen, kPhone]) {
  const { page, wrong, seconds } = await open(options);
  console.log(`usable after ${seconds.toFixed(2)} s`);
  assert.equal((await page.locator("#matrix .matrix-place button.cell").count()) % counted, 0);
  assert.equal(await page.locator("#found [data-run]").count(), runs);
  // No two runs look alike, and those of a model have one colour.
  const marks = await page.$$eval("#found [data-run] .swatch path", (all) =>
    all.map((p) => ({
      whole: p.getAttribute("style") + p.getAttribute("d"),
      colour: /var\(--(c\d+|ink)\)/.exec(p.getAttribute("style"))[0],
    })),
  );
  assert.equal(new Set(marks.map((m) => m.whole)).size, runs);
  assert.equal(new Set(marks.map((m) => m.colour)).size, models);
  // Those of one shape differ in colour for everybody's eyes.
  const colours = await page.$$eval("#found [data-run] .swatch path", (all) =>
    all.map((p) => ({
      shape: p.getAttribute("d"),
      rgb: getComputedStyle(p).fill.match(/\d+/g).map(Number),
    })),
  );
  for (const [i, a] of colours.entries())
    for (const b of colours.slice(0, i))
      if (a.shape === b.shape)
        for (const [eyes, m] of Object.entries(kEyes))
          assert.ok(apart(a.rgb, b.rgb, m) > 15, `${a.rgb} and ${b.rgb} for ${eyes}`);
  await drawAll(page);
  assert.ok(await fitsTheScreen(page));
  // The line that sums up everything is in sight, however long the table is.
  const languages = await page.locator('select[aria-label="Language"] option').count();
  const last = await page.$eval("#matrix .matrix-place .tall", (box) => {
    const [all, frame] = [[...box.querySelectorAll("tr")].at(-1), box.getBoundingClientRect()];
    return {
      text: all.textContent,
      below: all.lastElementChild.getBoundingClientRect().bottom - frame.bottom,
    };
  });
  assert.match(last.text, languages > 1 ? /^All languages/ : /^All/);
  assert.ok(last.below <= 1, JSON.stringify(last));
  if (languages > 1) assert.match(await page.textContent("#found [data-run]"), /de, he together/);
  // Only runs that count are drawn, and only what there is is explained.
  assert.equal(await page.locator("#tests .legend li").count(), counted);
  assert.doesNotMatch(await page.textContent("#tests figcaption"), /published/);
  // Pictures use the width that there is; a list is no longer than what is in it.
  const panels = await page.$$eval("#tests svg.panel", (all) =>
    all
      .map((p) => p.getBoundingClientRect())
      .map((r) => ({ right: r.right, left: r.left, bottom: r.bottom, top: r.top })),
  );
  if (panels.length > 2 && options === kScreen)
    assert.equal(new Set(panels.map((p) => Math.round(p.left))).size, 3);
  const list = await page.$eval("#items .list", (e) => ({
    height: e.offsetHeight,
    rows: e.firstElementChild.offsetHeight,
  }));
  assert.ok(list.height <= list.rows + 4, JSON.stringify(list));
  const pairs = await page.$$eval("#items .list .sentence", (all) =>
    all.map((s) => ({
      parts: [...s.querySelectorAll("bdi")].map((b) => b.textContent),
      title: s.title,
    })),
  );
  // A cloze has one sentence, with its blank.
  const cloze = pairs.every((p) => p.parts.length === 1);
  for (const { parts, title } of pairs)
    assert.ok(
      cloze ? /^Sie ____ \.$/.test(parts[0]) : parts[1].startsWith("*") && title.includes("*"),
      title,
    );
  // Nothing is drawn without a size.
  assert.deepEqual(
    await page.$$eval("svg.panel rect, svg.panel path", (all) =>
      all.filter((e) => /NaN|Infinity/.test(e.outerHTML)).map((e) => e.outerHTML),
    ),
    [],
  );
  assert.ok(
    await page.$$eval(
      "#margins rect",
      (all) => all.length > 0 && all.every((r) => Number(r.getAttribute("width")) > 0),
    ),
  );
  // Items are counted in whole numbers.
  assert.deepEqual(
    await page.$$eval('#margins svg.panel text[text-anchor="end"]', (all) =>
      all.map((t) => t.textContent).filter((t) => /^\d+\.\d/.test(t)),
    ),
    [],
  );
  // Checkpoints stand in the order of their steps, along an axis of their own.
  const staged = [...new Set(report.results.map((r) => r.model))].filter((m) => /@step/.test(m));
  assert.equal(await page.locator("#checkpoints").count(), staged.length ? 1 : 0);
  if (staged.length) {
    const heads = await page.$$eval("#matrix .matrix-place button.head", (all) =>
      all.map((h) => Number(/@step(\d+)/.exec(h.textContent)?.[1] ?? Infinity)),
    );
    assert.deepEqual(
      heads,
      [...heads].sort((a, b) => a - b),
    );
    const drawn = await page.$$eval("#checkpoints svg.panel", (all) =>
      all.map((p) =>
        [...p.querySelectorAll("path[transform]")].map((m) =>
          Number(/translate\(([\d.]+)/.exec(m.getAttribute("transform"))[1]),
        ),
      ),
    );
    assert.ok(drawn.length > 1);
    for (const at of drawn)
      assert.ok(at.length === heads.length && at.every((x, i) => !i || x > at[i - 1]), String(at));
  }
  await page.focus("#items .list");
  await page.keyboard.press("End");
  await page.waitForSelector("#items .detail .tokens");
  // A sentence from right to left has its first token at the right.
  const lines = await page.$$eval("#items .detail .tokens", (all) =>
    all.map((p) => ({
      text: p.textContent,
      left: [...p.querySelectorAll(".token")].map((t) => t.getBoundingClientRect().left),
    })),
  );
  for (const l of lines)
    if (l.left.length > 1)
      assert.equal(l.left[0] > l.left[1], /[\u0590-\u05ff]/.test(l.text), l.text);
  // In the list the first sentence stands where reading begins.
  const firsts = await page.$$eval("#items .list .sentence", (all) =>
    all.map((s) => ({
      text: s.textContent,
      left: [...s.querySelectorAll("bdi")].map((b) => b.getBoundingClientRect().left),
    })),
  );
  for (const f of firsts.filter((f) => f.left.length > 1))
    assert.equal(f.left[0] > f.left[1], /[\u0590-\u05ff]/.test(f.text), f.text);
  await textsApart(page, file);
  if (models < 12 || options === kScreen) await accessible(page, file);
  // On a small screen letters are as large as on a large one.
  assert.deepEqual(
    await page.$$eval("#tests svg.panel, #margins svg.panel", (all) =>
      all
        .filter((s) => s.getBoundingClientRect().width < 0.94 * s.getAttribute("width"))
        .map((s) => s.getAttribute("aria-label")),
    ),
    [],
  );
  assert.deepEqual(wrong, []);
  if (options === kScreen) await onPaper(page, file);
}
await browser.close();
