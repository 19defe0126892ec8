// Questions to the service that this page came from.

class NeedsToken extends Error {}

// Only as long as this tab is open, and never in an address, which ends up in logs.
const storedToken = {
  get: () => sessionStorage.getItem("token"),
  set: (token) => sessionStorage.setItem("token", token),
};

async function ask(path) {
  const token = storedToken.get();
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const answer = await fetch(path, { headers, cache: "no-store", redirect: "error" });
  if (answer.status === 401) throw new NeedsToken();
  const body = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(body.error), { status: answer.status });
  return body;
}

const counted = (number, one, many) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
const short = (number) => (number === null ? "" : String(+number.toPrecision(4)));
const percent = (part) => `${(100 * part).toFixed(part < 0.0995 ? 1 : 0)} %`;
// "-27.5 %": how much smaller or larger than equal weights, as pcgs run says it.
const beside = (ratio) =>
  ratio === null ? "" : `${ratio > 1 ? "+" : ""}${(100 * (ratio - 1)).toFixed(1)} %`;
