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

let fetching = false;
let stale = false;

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
        const states = opened(now);
        const focused = document.activeElement && now.contains(document.activeElement);
        for (const one of fresh.querySelectorAll("details[data-key]")) {
          if (states.has(one.dataset.key)) one.open = states.get(one.dataset.key);
        }
        if (!focused || document.activeElement === document.body) now.replaceChildren(...fresh.childNodes);
        else stale = true;
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

const place = live();
if (place && place.dataset.live) follow(place.dataset.live);
const pane = document.getElementById("output");
if (pane) pane.scrollTop = pane.scrollHeight;
