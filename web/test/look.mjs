// Looks into models with a typed pair, on a served page in a real browser: node look.mjs URL
// [FOLDER-FOR-PICTURES]
import assert from "node:assert/strict";
import { accessible, browser, fitsTheScreen, kPhone, kScreen, openPage } from "./browser.mjs";

const [url, pictures] = process.argv.slice(2);
const open = (options) =>
  openPage(url, new RegExp(`^(${new URL(url).origin}|data:|blob:)`), "#bench", options);
const number = (t) => Number(t.replace("\u2212", "-"));
const pair = "Der Autor neben den Häusern lacht.\nDer Autor neben den Häusern lachen.";
const third = "\nDie Autoren neben den Häusern lachen.";

/** The effects of the heat map of one model, row by row: the place, and its layers. */
async function heat(page, model) {
  const titles = await page.$$eval(
    "#bench .looked",
    (all, m) => [...all[m].querySelectorAll(".heat title")].map((t) => t.textContent),
    model,
  );
  const rows = new Map();
  for (const t of titles) {
    const [, place, layer, effect] = t.match(/^(.*), layer (\d+): (\S+)$/);
    if (!rows.has(place)) rows.set(place, []);
    rows.get(place)[Number(layer)] = number(effect);
  }
  return rows;
}
const words = (page, model) =>
  page.$$eval(
    "#bench .looked",
    (all, m) =>
      [...all[m].querySelectorAll(".one-sentence tr:first-child mark")].map((w) => w.title),
    model,
  );
async function look(page, text, done) {
  await page.fill("#bench textarea", text);
  await page.click("#bench button.look");
  await page.waitForFunction(done, null, { timeout: 60000 });
}
const looked = () =>
  !document.querySelector("#bench button.look").disabled &&
  document.querySelectorAll("#bench .looked").length === 2;

const dark = { ...kScreen, colorScheme: "dark" };
for (const [name, options] of Object.entries({ light: kScreen, dark, phone: kPhone })) {
  const { page, wrong } = await open(options);
  // Two sentences: a masked model is looked into with masks, a recurrent one with zeros.
  await look(page, pair, looked);
  assert.match(
    await page.textContent("#bench .looked .verdict"),
    /log odds \S+ of “\S+” over “\S+”/,
  );
  const masked = await heat(page, 0);
  // No two models have the same mark, also where none has results.
  assert.equal(
    new Set(
      await page.$$eval("#bench .looked h3 .swatch path", (all) =>
        all.map((p) => p.getAttribute("style") + p.getAttribute("d")),
      ),
    ).size,
    2,
  );
  // Words that occur once have their names; what is masked before the first layer is what is masked
  // in the sentence.
  const effects = new Map(
    (await words(page, 0)).map((t) => t.split(": ")).map(([word, e]) => [word, number(e)]),
  );
  assert.ok(effects.has("Autor") && effects.has("Häusern"), [...effects.keys()].join(" "));
  for (const [word, e] of effects) assert.equal(masked.get(word)[0], e, word);
  assert.match(await page.textContent("#bench .looked:nth-child(2) figcaption"), /set to zero/);
  // The curve of the lens ends at the margin.
  const margin = number(
    (await page.textContent("#bench .looked .verdict")).match(/log odds (\S+)/)[1],
  );
  const points = await page.$$eval("#bench .looked:first-child circle title", (all) =>
    all.map((t) => t.textContent),
  );
  assert.ok(Math.abs(number(points.at(-1).split(": ")[1]) - margin) < 0.006, points.at(-1));
  // A third: its own values are put there, and after the last layer the locus decides alone.
  await look(page, pair + third, () =>
    /third sentence/.test(document.querySelector("#bench .looked figcaption")?.textContent ?? ""),
  );
  const other = await heat(page, 0);
  const total = number(
    (await page.textContent("#bench .looked .note")).match(/effect of (\S+)\. /)[1],
  );
  assert.ok(Math.abs(other.get("locus").at(-1) - total) < 0.006);
  assert.ok(await fitsTheScreen(page), name);
  await accessible(page, `looked into, ${name}`);
  if (pictures) {
    await page.evaluate(() => document.querySelector("#bench").scrollIntoView());
    await page.screenshot({ path: `${pictures}/look-${name}.png`, fullPage: true });
  }
  // What was looked into is in the history, and comes back from there.
  assert.equal(await page.locator("#bench .asked li").count(), 2);
  assert.match(await page.textContent("#bench .asked li .answer"), /log odds/);
  await page.click("#bench .asked li:last-child button");
  assert.equal(await page.locator("#bench .looked").count(), 2);
  assert.doesNotMatch(await page.textContent("#bench .looked figcaption"), /third sentence/);
  // What cannot be looked into is said.
  await look(page, "Der Autor lacht.", () =>
    /Not looked into: type a right sentence/.test(
      document.querySelector("#bench .status").textContent,
    ),
  );
  await look(page, "Der Autor lacht.\nDer Autor lacht.", () =>
    /is not asked about pairs/.test(
      document.querySelector("#bench .looked .problem")?.textContent ?? "",
    ),
  );
  assert.deepEqual(
    wrong.filter((w) => !/400/.test(w)),
    [],
  );
  await page.context().close();
}
await browser.close();
console.log("pairs are looked into");
