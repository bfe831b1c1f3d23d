// Search, the choice of light or dark, and the menu of narrow screens.
const up = document.body.dataset.up;
const input = document.getElementById("search");
const found = document.getElementById("found");
const kMost = 12;

/** Every word must occur; headings count most, then titles, then how often it is in the text. */
function rate([, title, heading, text], words) {
  let sum = 0;
  for (const word of words) {
    const inHeading = heading.toLowerCase().includes(word);
    const inTitle = title.toLowerCase().includes(word);
    const times = text.toLowerCase().split(word).length - 1;
    if (!inHeading && !inTitle && times === 0) return 0;
    sum += (inHeading ? 12 : 0) + (inTitle ? 5 : 0) + Math.min(times, 8) / (1 + text.length / 4000);
  }
  return sum;
}

function excerpt(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
  return (at > 0 ? "… " : "") + text.slice(at, at + 130) + (at + 130 < text.length ? " …" : "");
}

function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.replaceChildren();
  found.hidden = words.length === 0;
  if (words.length === 0) return;
  const hits = searchIndex
    .map((entry) => ({ entry, sum: rate(entry, words) }))
    .filter((hit) => hit.sum > 0)
    .sort((a, b) => b.sum - a.sum)
    .slice(0, kMost);
  for (const { entry } of hits) {
    const [href, title, heading, text] = entry;
    const link = document.createElement("a");
    link.href = up + href;
    const name = document.createElement("b");
    name.textContent = heading === title ? title : `${title}: ${heading}`;
    const line = document.createElement("span");
    line.textContent = excerpt(text, words[0]);
    link.append(name, line);
    const item = document.createElement("li");
    item.append(link);
    found.append(item);
  }
  if (hits.length === 0) {
    const none = document.createElement("p");
    none.textContent = "Nothing found.";
    found.append(none);
  }
}

input.addEventListener("input", search);
addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === "Escape") {
    input.value = "";
    search();
  }
});
document.addEventListener("click", (event) => {
  if (!event.target.closest(".search")) found.hidden = true;
});

document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = root.dataset.theme ?? (dark ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
});

const menu = document.getElementById("menu");
menu.addEventListener("click", () => {
  const open = document.getElementById("sidebar").classList.toggle("open");
  menu.setAttribute("aria-expanded", String(open));
});

// A link can ask: index.html?q=clusters
const asked = new URLSearchParams(location.search).get("q");
if (asked) {
  input.value = asked;
  search();
}
