"use strict";
(() => {
  const messages = [...document.querySelectorAll("li.message")];
  const rows = [...document.querySelectorAll("tbody tr")];
  const missing = [...document.querySelectorAll(".missing li")];
  const find = document.getElementById("find");
  const found = document.getElementById("found");
  const texts = new Map();

  const textOf = (element) => {
    let text = texts.get(element);
    if (text === undefined) {
      text = element.textContent.toLowerCase();
      texts.set(element, text);
    }
    return text;
  };

  const targetOf = (row) => document.getElementById(row.querySelector("a").hash.slice(1));

  // A fold is opened before its content is jumped to; browsers that do it themselves lose nothing.
  const reveal = (element) => {
    for (let up = element; up; up = up.parentElement) {
      if (up.tagName === "DETAILS") up.open = true;
    }
  };

  const go = (element) => {
    if (!element) return;
    reveal(element);
    history.replaceState(null, "", "#" + element.id);
    element.scrollIntoView({ block: "center" });
    element.focus({ preventScroll: true });
    mark(element);
  };

  // :target does not follow replaceState, so the place jumped to has a class of its own.
  let marked = null;
  const mark = (element) => {
    if (marked) marked.classList.remove("here");
    marked = element;
    marked.classList.add("here");
  };

  const filter = () => {
    const wanted = find.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const target = targetOf(row);
      row.hidden = wanted !== "" && !textOf(row).includes(wanted) && !(target && textOf(target).includes(wanted));
      if (!row.hidden) shown += 1;
    }
    let left = 0;
    for (const message of messages) {
      message.hidden = wanted !== "" && !textOf(message).includes(wanted);
      if (!message.hidden) left += 1;
    }
    let absent = 0;
    for (const item of missing) {
      item.hidden = wanted !== "" && !textOf(item).includes(wanted);
      if (!item.hidden) absent += 1;
    }
    document.body.classList.toggle("filtered", wanted !== "");
    document.getElementById("nothing").hidden = left > 0 || messages.length === 0;
    found.textContent = wanted === "" ? "" : shown + " of " + rows.length + ", in " + left + (left === 1 ? " message" : " messages") +
      (absent > 0 ? "; " + absent + " not placed" : "");
  };

  const step = (elements, by) => {
    const visible = elements.filter((element) => element && element.getClientRects().length > 0);
    const at = visible.indexOf(marked);
    if (at >= 0) {
      go(visible[Math.min(visible.length - 1, Math.max(0, at + by))]);
      return;
    }
    const below = visible.findIndex((element) => element.getBoundingClientRect().top > 0);
    go(visible[by > 0 ? Math.max(0, below) : Math.max(0, below - 1)]);
  };

  find.addEventListener("input", filter);
  find.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      find.value = "";
      filter();
      find.blur();
    } else if (event.key === "Enter") {
      const first = rows.find((row) => !row.hidden);
      go(first ? targetOf(first) : messages.find((message) => !message.hidden));
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target === find) return;
    if (event.key === "/") {
      event.preventDefault();
      find.focus();
    } else if (event.key === "j") step(messages, 1);
    else if (event.key === "k") step(messages, -1);
    else if (event.key === "n") step(rows.map(targetOf), 1);
    else if (event.key === "p") step(rows.map(targetOf), -1);
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const target = document.getElementById(link.hash.slice(1));
    if (!target) return;
    // A message that the filter hides is looked for on purpose now.
    if (target.closest("[hidden]")) {
      find.value = "";
      filter();
    }
    event.preventDefault();
    go(target);
  });

  const opened = [];
  window.addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details:not([open])")) {
      details.open = true;
      opened.push(details);
    }
  });
  window.addEventListener("afterprint", () => {
    for (const details of opened.splice(0)) details.open = false;
  });

  if (location.hash.length > 1) {
    const target = document.getElementById(location.hash.slice(1));
    if (target) go(target);
  }
})();
