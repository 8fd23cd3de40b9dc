"use strict";
(() => {
  const specs = JSON.parse(document.getElementById("specs").textContent);
  const picks = { picked: document.getElementById("pick-model"), picked_condition: document.getElementById("pick-condition") };
  const views = [];

  function highlight() {
    for (const view of views) {
      for (const [signal, select] of Object.entries(picks)) view.signal(signal, select.value);
      view.runAsync();
    }
    const who = picks.picked.value;
    for (const row of document.querySelectorAll("tr[data-who]")) {
      row.classList.toggle("other", who !== "" && row.dataset.who !== who);
    }
  }

  function pick(item) {
    const who = item && item.datum && item.datum.who;
    if (who === undefined) return;
    picks.picked.value = picks.picked.value === who ? "" : who;
    highlight();
  }

  async function draw(place) {
    const spec = specs[place.dataset.figure][Number(place.dataset.panel)];
    const wide = place.clientWidth;
    spec.config.legend.columns = wide < 480 ? 1 : Math.floor(wide / 150);
    spec.config.axis.labelLimit = Math.max(100, Math.min(230, wide / 3));
    // The interpreter evaluates Vega's expressions, so the page's policy need not allow eval.
    const options = { ast: true, actions: false, renderer: "svg", tooltip: { theme: "page", disableDefaultStyle: true } };
    try {
      const { view } = await window.vegaEmbed(place, spec, options);
      view.addEventListener("click", (_event, item) => pick(item));
      views.push(view);
      place.dataset.drawn = "yes";
    } catch (error) {
      place.textContent = `This figure could not be drawn (${error.message}); its data are below.`;
      place.dataset.drawn = "no";
    }
  }

  // Numbers sort by value, rows without a number last; text sorts as text.
  function compare(one, other) {
    if (one === "" || other === "") return one === other ? 0 : one === "" ? 1 : -1;
    const difference = Number(one) - Number(other);
    return Number.isNaN(difference) ? one.localeCompare(other) : difference;
  }

  function sort(heading) {
    const table = heading.closest("table");
    const column = heading.cellIndex;
    const up = heading.getAttribute("aria-sort") !== "ascending";
    for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    const key = (row) => row.cells[column].dataset.key;
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => (key(a) === "" || key(b) === "" || up ? compare(key(a), key(b)) : compare(key(b), key(a))));
    table.tBodies[0].append(...rows);
  }

  for (const select of Object.values(picks)) select.addEventListener("change", highlight);
  for (const button of document.querySelectorAll("table.sortable th button")) {
    button.addEventListener("click", () => sort(button.parentElement));
  }
  Promise.all([...document.querySelectorAll(".chart")].map(draw)).then(() => {
    document.documentElement.dataset.ready = "yes";
  });
})();
