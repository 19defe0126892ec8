// The report page's script is the files of this folder in the order that src/show/assets.cc
// has them, inside one function: they share their names. It draws the charts that the program wrote
// into the page, ties those of a run to its time window, and adds the buttons. Text and tables need
// none of it. What comes from data is only ever set as text, never as markup. The live page (web/live)
// begins with this file and theme.js, too.
"use strict";

const root = document.documentElement;
root.classList.add("scripted");

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// Says what happened to those who cannot see it.
const status = element("p", { className: "unseen", role: "status" });
document.body.append(status);
