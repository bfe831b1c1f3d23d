// What must hold of the site: node test.mjs SITE [CHROMIUM]
// Every link leads to a page and a place on it, formulas are rendered, nothing is fetched from
// elsewhere, and search finds.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [site, chromium] = [resolve(process.argv[2]), process.argv[3]];
const problems = [];
const pages = readdirSync(site, { recursive: true }).filter((f) => f.endsWith(".html"));
const html = new Map(pages.map((f) => [join(site, f), readFileSync(join(site, f), "utf8")]));
let links = 0;
for (const [file, text] of html) {
  const prose = text.replace(/<pre>[\s\S]*?<\/pre>|<code>[\s\S]*?<\/code>/g, "");
  if (/\$\\[a-z]/.test(prose.replace(/<annotation[\s\S]*?<\/annotation>/g, "")))
    problems.push(`${file}: a formula is not rendered`);
  if (/<(script|img|link)[^>]*(src|href)="https?:/.test(prose))
    problems.push(`${file}: loads something from elsewhere`);
  for (const [, href] of text.matchAll(/ href="([^"]+)"/g)) {
    if (/^[a-z]+:/.test(href)) continue;
    ++links;
    const [path, place] = href.split("#");
    const target = path ? resolve(dirname(file), path) : file;
    if (!existsSync(target)) problems.push(`${file}: ${href}: no such file`);
    else if (
      place &&
      html.has(target) &&
      place !== "content" &&
      !html.get(target).includes(` id="${place}"`)
    )
      problems.push(`${file}: ${href}: no such place`);
  }
}
if (pages.length < 40 || links < 1000)
  problems.push(`only ${pages.length} pages with ${links} links`);

if (chromium) {
  const profile = mkdtempSync(join(tmpdir(), "minpair-docs-"));
  const flags = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
  ];
  const url = `${pathToFileURL(join(site, "tutorials/own-pairs.html"))}?q=design%20effect`;
  const dom = execFileSync(chromium, [...flags, `--user-data-dir=${profile}`, "--dump-dom", url], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 120000,
  });
  const found = /<ol id="found">([\s\S]*?)<\/ol>/.exec(dom)?.[1] ?? "";
  if (!found.includes('href="../statistics.html#why-clusters"'))
    problems.push(`search does not find a section: ${found}`);
}
console.log(problems.slice(0, 30).join("\n") || `${pages.length} pages, ${links} links`);
process.exit(problems.length ? 1 : 0);
