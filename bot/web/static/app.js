// Keeps a page fresh: the server says that something happened, and the part of the page that shows
// it is fetched anew. Without this script every page works, and a reload shows the newest state.
"use strict";

const LONGEST_OUTPUT = 200000;
const PAUSE = 300;

const live = () => document.getElementById("live");

function opened(root) {
  const states = new Map();
  for (const one of root.querySelectorAll("details[data-key]")) states.set(one.dataset.key, one.open);
  return states;
}

// which text of which folded part, so that it is found again on the fresh page
const named = (pre) => {
  const part = pre.closest("details[data-key]");
  return `${part.dataset.key} ${[...part.querySelectorAll("pre")].indexOf(pre)}`;
};
const texts = (root) => root.querySelectorAll("details[data-key] pre");

function scrolled(root) {
  const places = new Map();
  for (const one of texts(root)) if (one.scrollTop || one.scrollLeft) places.set(named(one), [one.scrollLeft, one.scrollTop]);
  return places;
}

function replace(now, fresh) {
  const states = opened(now);
  const places = scrolled(now);
  const part = document.activeElement.closest("#live summary")?.parentElement.dataset.key;
  for (const one of fresh.querySelectorAll("details[data-key]")) {
    if (states.has(one.dataset.key)) one.open = states.get(one.dataset.key);
  }
  now.replaceChildren(...fresh.childNodes);
  localised(now);
  for (const one of texts(now)) {
    const place = places.get(named(one));
    if (place) one.scrollTo(...place);
  }
  if (part) now.querySelector(`details[data-key="${CSS.escape(part)}"] > summary`)?.focus({ preventScroll: true });
}

// what somebody is about to press or read stays; a part that was folded or unfolded is found again
const isUsed = (now) => now.querySelector(":active") || (now.contains(document.activeElement) && !document.activeElement.matches("details[data-key] > summary"));

let fetching = false;
let stale = false;
let held = false;

async function refresh() {
  if (fetching) { stale = true; return; }
  fetching = true;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (answer.redirected) { location.reload(); return; }
    if (answer.ok) {
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
      const now = live();
      if (fresh && now) {
        if (isUsed(now)) held = true;
        else replace(now, fresh);
      }
    }
  } catch { stale = true; }
  setTimeout(() => { fetching = false; if (stale) { stale = false; refresh(); } }, PAUSE);
}

function lag(data) {
  // how late an event is here; the tests read it
  if (data.at) document.documentElement.dataset.lag = String(Date.now() - data.at * 1000);
}

function show(html) {
  const pane = document.getElementById("output");
  if (!pane) return;
  const follows = pane.scrollTop + pane.clientHeight > pane.scrollHeight - 40;
  // the server escaped it: only spans of colours are left
  pane.insertAdjacentHTML("beforeend", html);
  while (pane.textContent.length > LONGEST_OUTPUT && pane.firstChild) pane.firstChild.remove();
  if (follows) pane.scrollTop = pane.scrollHeight;
}

function follow(address) {
  const source = new EventSource(address);
  source.addEventListener("stale", (event) => { lag(JSON.parse(event.data)); refresh(); });
  source.addEventListener("output", (event) => {
    const data = JSON.parse(event.data);
    lag(data);
    show(data.html);
  });
  source.addEventListener("error", () => {
    // the server said no: what this page shows may not be ours to see any more
    if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 3000);
  });
  source.addEventListener("over", () => { source.close(); refresh(); });
}

for (const over of ["focusout", "pointerup"]) {
  document.addEventListener(over, () => setTimeout(() => { if (held) { held = false; refresh(); } }, PAUSE));
}

const place = live();
if (place && place.dataset.live) follow(place.dataset.live);
const pane = document.getElementById("output");
if (pane) pane.scrollTop = pane.scrollHeight;

// times in the zone of whoever reads them; the server writes them in UTC, which stays in the tooltip
function localised(root) {
  for (const one of root.querySelectorAll("time[datetime]")) {
    const at = new Date(one.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const shown = at.toLocaleString([], { dateStyle: "medium", timeStyle: "medium" });
    if (/^\d\d:\d\d:\d\d$/.test(one.textContent)) one.textContent = at.toLocaleTimeString([], { hour12: false });
    else if (/UTC$/.test(one.textContent)) one.textContent = shown;
    one.title = `${shown} (${one.dateTime.slice(0, 19).replace("T", " ")} UTC)`;
  }
}

// the settings that have the words in them
const filter = document.querySelector("input[data-filter]");
filter?.addEventListener("input", () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const group of document.querySelectorAll("[data-filtered]")) {
    let some = false;
    for (const row of group.querySelectorAll("tbody tr")) {
      row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
      some = some || !row.hidden;
    }
    group.hidden = !some;
  }
});

localised(document);

// a form that only leads on, such as to GitHub
document.querySelector("form[data-submit]")?.requestSubmit();

// a request of the API page is sent as whoever looks at it
async function send(form) {
  const given = new FormData(form);
  const path = form.dataset.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(given.get(name)));
  const query = new URLSearchParams();
  for (const [name, value] of given) if (value && name !== "body" && !form.dataset.path.includes(`{${name}}`)) query.append(name, value);
  const body = given.get("body");
  const headers = { Accept: "application/json, text/plain" };
  if (body) headers["Content-Type"] = "application/json";
  const answer = await fetch(query.size ? `${path}?${query}` : path, { method: form.dataset.method, headers, body });
  const text = await answer.text();
  let shown = text;
  try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch { /* it is text */ }
  return `${answer.status} ${answer.statusText}\n\n${shown.slice(0, LONGEST_OUTPUT)}`;
}

for (const form of document.querySelectorAll("form.try")) {
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const pane = form.querySelector("output");
    pane.textContent = "Waiting for the answer.";
    try { pane.textContent = await send(form); } catch { pane.textContent = "The server can't be reached."; }
  });
}

// a link to a folded part unfolds it
function unfold() {
  const part = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (part && part.matches("details")) { part.open = true; part.scrollIntoView(); }
}
addEventListener("hashchange", unfold);
unfold();
