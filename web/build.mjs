// Bundles the page into one HTML file: node build.mjs [OUT]
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? `${here}/dist/page.html`;
const bundle = await build({
  entryPoints: [`${here}/src/main.ts`],
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: "es2022",
  legalComments: "none",
});
const script = bundle.outputFiles[0].text.replaceAll("</script", "<\\/script");
const page = readFileSync(`${here}/src/page.html`, "utf8");
const style = readFileSync(`${here}/src/page.css`, "utf8");
mkdirSync(dirname(out), { recursive: true });
writeFileSync(
  out,
  page.replace("/*style*/", () => style).replace("/*script*/", () => script),
);
