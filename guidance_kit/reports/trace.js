
// One tab stop a text; the arrow keys go from token to token, Escape lets go.
for (const text of document.querySelectorAll(".text")) {
  const tokens = [...text.children];
  const stop = (token) => tokens.forEach((other) => (other.tabIndex = other === token ? 0 : -1));
  stop(tokens[0]);
  text.addEventListener("focusin", (event) => stop(event.target.closest(".token")));
  text.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const place = tokens.indexOf(event.target.closest(".token"));
    const next = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: tokens.length - 1 }[event.key];
    if (event.key === "Escape") document.activeElement.blur();
    if (tokens[next] === undefined) return;
    event.preventDefault();
    tokens[next].focus();
  });
}
