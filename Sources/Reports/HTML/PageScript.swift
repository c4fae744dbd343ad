/// The script of a page. It only shows and hides existing parts: without it a reader sees
/// everything, and opens details by hand. It contains neither `<` nor `&`, so that the page is
/// well-formed XML too.
enum PageScript {
  /// Opens the details that a box of a picture links to; filters tables, lists and sections; steps
  /// through interleavings.
  static let text = """
    function show() {
      var part = location.hash ? document.getElementById(location.hash.slice(1)) : null;
      if (part) { if (part.tagName.toLowerCase() === "details") { part.open = true; } \
    part.scrollIntoView(); }
    }
    addEventListener("hashchange", show);
    show();

    function filter(box) {
      var words = box.querySelector("input[type=search]");
      var unmet = box.querySelector("input[type=checkbox]");
      var items = Array.from(document.querySelectorAll(
        ".matrix tbody tr, .pairs tbody tr, .not-expected li, main > section"));
      function apply() {
        var wanted = words.value.toLowerCase().split(/\\s+/).filter(Boolean);
        items.forEach(function (item) {
          var text = (item.querySelector("h2") || item).textContent.toLowerCase();
          var isShown = wanted.every(function (word) { return text.includes(word); });
          if (unmet.checked) {
            isShown = isShown ? item.matches(".not-expected li") || \
    item.querySelector(".unmet") !== null : false;
          }
          item.hidden = !isShown;
        });
        box.querySelector("output").textContent =
          share("tr", "rows") + " and " + share("section", "explanations") + " shown";
      }
      function share(name, plural) {
        var all = items.filter(function (item) { return item.matches(name); });
        var shown = all.filter(function (item) { return !item.hidden; });
        return shown.length + " of " + all.length + " " + plural;
      }
      words.addEventListener("input", apply);
      unmet.addEventListener("change", apply);
      addEventListener("keydown", function (event) {
        if (event.key === "/") {
          if (document.activeElement !== words) { event.preventDefault(); words.focus(); }
        }
      });
      box.hidden = false;
    }
    Array.from(document.querySelectorAll(".filter")).forEach(filter);

    function step(table) {
      var rows = Array.from(table.tBodies[0].rows);
      var names = Array.from(table.tHead.rows[0].cells, function (cell) { \
    return cell.textContent; });
      if (2 > rows.length) { return; }
      var bar = document.createElement("div");
      var slider = document.createElement("input");
      var words = document.createElement("output");
      function go() {
        var now = Number(slider.value);
        rows.forEach(function (row, index) {
          row.classList.toggle("now", index === now - 1);
          row.classList.toggle("later", index >= now);
        });
        var cells = Array.from(rows[now - 1].cells);
        var column = cells.findIndex(function (cell) { return cell.textContent !== ""; });
        words.textContent = "step " + now + " of " + rows.length + \
    (column >= 0 ? ": " + names[column] + ", " + cells[column].textContent : "");
        rows[now - 1].scrollIntoView({ block: "nearest" });
      }
      function button(text, by) {
        var button = document.createElement("button");
        button.type = "button";
        button.textContent = text;
        button.addEventListener("click", function () {
          slider.value = Number(slider.value) + by;
          go();
        });
        bar.append(button);
      }
      bar.className = "steps";
      slider.type = "range";
      slider.min = 1;
      slider.max = rows.length;
      slider.value = rows.length;
      slider.setAttribute("aria-label", "Step");
      slider.addEventListener("input", go);
      words.textContent = rows.length + " steps: move the slider to step through them";
      button("\\u25C0 back", -1);
      bar.append(slider);
      button("next \\u25B6", 1);
      bar.append(words);
      (table.closest(".scroll") || table).before(bar);
    }
    Array.from(document.querySelectorAll("table.interleaving")).forEach(step);
    """

  /// The SHA-256 of the text, in Base64.
  static let hash = "g2O6xrnUEBd/M2Iwc8lPtwAIPFigOg8yMpiOFQIfpPc="
}
