// Asks again and again, while somebody looks.

const pause = 1500; // milliseconds between an answer and the next question
const state = document.getElementById("state");
const tokenSection = document.getElementById("token");
let asking = 0; // the number of the latest question; older answers are not shown
let timer;

function say(text, failed = false) {
  if (state.textContent !== text) state.textContent = text;
  state.classList.toggle("failed", failed);
}

function askForToken() {
  document.getElementById("refused").hidden = !storedToken.get();
  for (const section of [list.section, view.section]) section.hidden = true;
  if (tokenSection.hidden) {
    tokenSection.hidden = false;
    tokenSection.querySelector("input").focus();
  }
  say("The service asks for its token");
}

async function chosenStream() {
  const name = chosenName();
  if (!name) return null;
  try {
    return await askForStream(name);
  } catch (wrong) {
    if (wrong.status === 404 || wrong.status === 400) return null; // no stream, and no name of one
    throw wrong;
  }
}

async function refresh() {
  clearTimeout(timer);
  const mine = ++asking;
  try {
    const [answer, stream] = await Promise.all([ask(listAddress()), chosenStream()]);
    if (mine !== asking) return;
    tokenSection.hidden = true;
    say(counted(showList(answer), "stream", "streams"));
    if (stream) showStream(stream);
    else view.section.hidden = true;
  } catch (wrong) {
    if (mine !== asking) return;
    if (wrong instanceof NeedsToken) return askForToken();
    const why = wrong.status ? wrong.message : "it does not answer";
    say(`No news from the service: ${why}`, true);
  }
  if (!document.hidden) timer = setTimeout(refresh, pause);
}

tokenSection.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const input = event.target.elements.token;
  storedToken.set(input.value.trim());
  input.value = "";
  refresh();
});
list.form.addEventListener("submit", (event) => event.preventDefault());
list.form.elements.part.addEventListener("input", () => {
  list.before = [""];
  refresh();
});
list.more.addEventListener("click", () => {
  list.before.push(list.next);
  refresh();
});
list.back.addEventListener("click", () => {
  list.before.pop();
  refresh();
});
addEventListener("hashchange", refresh);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) refresh();
});

// Charts take their colours from the style sheet, so a change of theme draws nothing.
function drawVisible() {}
document.querySelector("header").append(themeButton());
refresh();
