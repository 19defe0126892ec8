// One of several parts of the page, chosen by the reader.

function enableChoice(choice) {
  const select = choice.querySelector(":scope > label select");
  const options = choice.querySelectorAll(":scope > .option");
  const show = () =>
    options.forEach((option, index) => (option.hidden = index !== select.selectedIndex));
  select.addEventListener("change", () => {
    show();
    drawVisible();
  });
  show(); // a browser may restore an earlier choice when it loads the page again
}
