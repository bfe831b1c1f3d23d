// Builds the manual as a static site: node build.mjs SOURCE_FOLDER OUT [NOTEBOOKS]
// Pages are docs/**/*.md, CHANGELOG.md and the notebooks; docs/index.md gives the order.
// NOTEBOOKS is a folder of the same notebooks with outputs. Nothing is fetched from anywhere.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import katex from "katex";
import { Marked } from "marked";

const [source, out, withOutputs] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const docs = join(source, "docs");
const version = /project\(minpair VERSION ([0-9.]+)/.exec(
  readFileSync(join(source, "CMakeLists.txt"), "utf8"),
)[1];
const escaped = (s) =>
  s
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
const plain = (html) =>
  html
    .replace(/<math[\s\S]*?<\/math>/g, " ")
    .replace(/<\/?(code|em|strong|a|small)\b[^>]*>/g, "")
    .replace(/<[^>]*>/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
    .replace(/\s+/g, " ")
    .trim();

// As tests/house/links.py names headings, and the sites that show Markdown.
const anchorOf = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, "")
    .trim()
    .replaceAll(" ", "-");

const math = (name, level, begin, rule, display) => ({
  name,
  level,
  start: (text) => begin.exec(text)?.index,
  tokenizer: (text) => {
    const match = rule.exec(text);
    return match ? { type: name, raw: match[0], text: match[1] } : undefined;
  },
  renderer: (token) =>
    katex.renderToString(token.text, {
      displayMode: display,
      output: "mathml",
      throwOnError: true,
    }),
});

// Links between pages keep working as .html; links to other files of the tree show their path.
function hrefOf(href, page) {
  if (/^[a-z]+:|^#/.test(href)) return href;
  const [path, place] = href.split("#");
  const target = relative(docs, join(docs, dirname(page), path));
  if (target === "../CHANGELOG.md") return `${up(page)}changelog.html`;
  if (target.startsWith("..")) return null;
  const web = path.replace(/\.(md|ipynb)$/, ".html");
  return place ? `${web}#${place}` : web;
}

function markdown(text, page) {
  const headings = [];
  const marked = new Marked({ gfm: true });
  marked.use({
    extensions: [
      math("blockMath", "block", /^\$\$/m, /^\$\$([\s\S]+?)\$\$(?:\n|$)/, true),
      math("inlineMath", "inline", /\$/, /^\$([^\s$](?:[^$\n]*[^\s$])?)\$(?!\d)/, false),
    ],
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        const id = anchorOf(plain(html));
        headings.push({ id, depth, text: plain(html) });
        const link = `<a class="anchor" href="#${id}" aria-label="link">#</a>`;
        return `<h${depth} id="${id}">${html}${link}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const to = hrefOf(href, page);
        const html = this.parser.parseInline(tokens);
        return to ? `<a href="${escaped(to)}">${html}</a>` : html;
      },
      table(token) {
        const cell = (c, tag) =>
          [
            `<${tag}${c.align ? ` style="text-align:${c.align}"` : ""}>`,
            `${this.parser.parseInline(c.tokens)}</${tag}>`,
          ].join("");
        const row = (cells, tag) => `<tr>${cells.map((c) => cell(c, tag)).join("")}</tr>`;
        const head = token.header.some((c) => c.text)
          ? `<thead>${row(token.header, "th")}</thead>`
          : "";
        const body = token.rows.map((r) => row(r, "td")).join("\n");
        return `<div class="wide"><table>${head}<tbody>${body}</tbody></table></div>\n`;
      },
      // What the tests of the docs read, and readers do not.
      html: ({ text }) => (text.startsWith("<!--") ? "" : text),
    },
  });
  return { html: marked.parse(text), headings };
}

function notebook(text, page) {
  const cells = JSON.parse(text).cells.map(({ cell_type, source, outputs = [] }) => {
    const content = source.join("");
    if (cell_type === "markdown") return markdown(content, page);
    const shown = outputs.map((o) => {
      const data = o.data ?? { "text/plain": o.text ?? [] };
      const of = (type) => [data[type] ?? ""].flat().join("");
      if (data["image/png"])
        return `<img alt="output" src="data:image/png;base64,${of("image/png")}">`;
      if (data["text/html"]) return `<div class="wide">${of("text/html")}</div>`;
      return `<pre class="output">${escaped(of("text/plain"))}</pre>`;
    });
    return {
      html: `<pre class="cell"><code>${escaped(content)}</code></pre>${shown.join("")}`,
      headings: [],
    };
  });
  return { html: cells.map((c) => c.html).join("\n"), headings: cells.flatMap((c) => c.headings) };
}

const up = (page) => "../".repeat(page.split("/").length - 1);
const webOf = (page) => page.replace(/\.(md|ipynb)$/, ".html");

const files = readdirSync(docs, { recursive: true })
  .map((f) => f.replaceAll("\\", "/"))
  .sort();
const pages = files
  .filter((f) => /\.(md|ipynb)$/.test(f))
  .map((page) => {
    const run = join(withOutputs ?? "", basename(page));
    const text = readFileSync(withOutputs && existsSync(run) ? run : join(docs, page), "utf8");
    return { page, ...(page.endsWith(".md") ? markdown(text, page) : notebook(text, page)) };
  });
pages.push({
  page: "changelog.md",
  ...markdown(readFileSync(join(source, "CHANGELOG.md"), "utf8"), "../CHANGELOG.md"),
});
const known = new Map(pages.map((p) => [p.page, p]));

// The sidebar: the sections of docs/index.md, then what it cannot list.
const sections = [];
for (const line of readFileSync(join(docs, "index.md"), "utf8").split("\n")) {
  const heading = /^## (.*)/.exec(line);
  if (heading) sections.push({ title: heading[1], links: [] });
  for (const [, text, to] of line.matchAll(/\[([^\]]+)\]\(([^)#]+)\)/g))
    if (sections.length && known.has(to)) sections.at(-1).links.push({ text, page: to });
}
const notebooks = pages.filter((p) => p.page.endsWith(".ipynb"));
sections.splice(1, 0, {
  title: "Notebooks",
  links: notebooks.map((p) => ({ text: p.headings[0].text, page: p.page })),
});
sections.at(-1).links.push({ text: "Changes", page: "changelog.md" });

function sidebar(page) {
  const link = (l) => {
    const current = l.page === page ? ' aria-current="page"' : "";
    const text = escaped(l.text[0].toUpperCase() + l.text.slice(1));
    return `<li><a href="${up(page)}${webOf(l.page)}"${current}>${text}</a></li>`;
  };
  return sections
    .map((s) => `<h2>${s.title}</h2><ul>${s.links.map(link).join("")}</ul>`)
    .join("\n");
}

const template = readFileSync(join(here, "site.html"), "utf8");
rmSync(out, { recursive: true, force: true });
const index = [];
for (const { page, html, headings } of pages) {
  const title = headings[0]?.text ?? page;
  const contents = headings.filter((h) => h.depth === 2);
  const values = {
    title: escaped(page === "index.md" ? "minpair" : `${title} · minpair`),
    up: up(page),
    version,
    sidebar: sidebar(page),
    contents:
      contents.length > 2
        ? contents.map((h) => `<li><a href="#${h.id}">${escaped(h.text)}</a></li>`).join("")
        : "",
    body: html,
  };
  const target = join(out, webOf(page));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(
    target,
    template.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]),
  );
  // One entry for each section of a page: search leads to the place.
  const parts = html.split(/(?=<h[1-3] id=")/);
  for (const part of parts) {
    const heading = /^<h[1-3] id="([^"]*)">([\s\S]*?)<a class="anchor"/.exec(part);
    if (!heading) continue;
    const text = plain(part.slice(part.indexOf("</h") + 5));
    index.push([`${webOf(page)}#${heading[1]}`, title, plain(heading[2]), text]);
  }
}
for (const name of ["site.css", "site.js"]) cpSync(join(here, name), join(out, name));
cpSync(join(docs, "pictures"), join(out, "pictures"), { recursive: true });
for (const f of files.filter((f) => /\.(csv|tsv|cfg|sbatch)$/.test(f)))
  cpSync(join(docs, f), join(out, f));
writeFileSync(join(out, "search-index.js"), `const searchIndex = ${JSON.stringify(index)};\n`);
console.log(
  `${pages.length} pages, ${index.length} sections in the search index: ${out}/index.html`,
);
