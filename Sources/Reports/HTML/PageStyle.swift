/// The style of a page.
enum PageStyle {
  /// The content security policy, which allows only this style, and the script by its hash. If a
  /// subject's text ever became an element, the element could do nothing.
  static let policy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-\(PageScript.hash)'; "
    + "base-uri 'none'; form-action 'none'"

  /// The colours, light and dark, each with a contrast of at least 4.5 to 1 against its background,
  /// and the layout.
  static let css = """
    :root {
      color-scheme: light dark;
      --page: #ffffff; --text: #1b1f24; --soft: #57606a; --line: #c9d1d9; --box: #f3f5f7; --link: \
    #0a58ca;
      --marked: #b3261e; --marked-box: #fdecea; --met: #17692f; --focus: #0a58ca;
      --running: #2a7d46; --waiting: #ffe2b8; --hatch: #f3bd6c; --on-bar: #3d2600;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --page: #14171b; --text: #e6e9ed; --soft: #a3adb8; --line: #3d454e; --box: #20252b; \
    --link: #7db4ff;
        --marked: #ff8a80; --marked-box: #3a1d1b; --met: #6fce8b; --focus: #7db4ff;
        --running: #7ddc9c; --waiting: #4a3717; --hatch: #6e5120; --on-bar: #ffe9c9;
      }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0 auto; padding: 1rem; max-width: 72rem; background: var(--page); color: var(--text);
      font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
    }
    h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere; }
    h2 { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
    h3 { margin-top: 1.75rem; }
    p, li { overflow-wrap: anywhere; }
    ul { padding-left: 1.5rem; }
    a { color: var(--link); }
    code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace; \
    font-size: 0.875rem; }
    pre { padding: 0.5rem 0.75rem; background: var(--box); white-space: pre-wrap; \
    overflow-wrap: anywhere; }
    :focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
    .scroll { overflow-x: auto; max-width: 100%; }
    .headline { font-size: 1.15rem; font-weight: 600; }
    .told, .legend, .host { color: var(--soft); font-size: 0.9rem; }
    .met { color: var(--met); } .unmet { color: var(--marked); } .skipped { color: var(--soft); }
    table { border-collapse: collapse; margin: 1rem 0; font-size: 0.9rem; }
    caption { text-align: left; font-weight: 600; padding-bottom: 0.25rem; }
    th, td { padding: 0.3rem 0.75rem 0.3rem 0; text-align: left; \
    border-bottom: 1px solid var(--line); white-space: nowrap; }
    th[scope="row"] { font-weight: 500; }
    details { border: 1px solid var(--line); border-radius: 6px; margin: 0.4rem 0; \
    padding: 0.35rem 0.75rem; }
    details.marked { border: 2px solid var(--marked); }
    details:target { background: var(--box); }
    summary { cursor: pointer; overflow-wrap: anywhere; }
    summary .kind { color: var(--soft); font-size: 0.85rem; }
    summary em { color: var(--marked); font-size: 0.85rem; font-style: normal; font-weight: 600; }
    .stack { padding-left: 2.5rem; }
    h4 { margin: 1rem 0 0.25rem; overflow-wrap: anywhere; }
    .sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), \
    1fr)); gap: 0 1.5rem; }
    .side { min-width: 0; } .side p { margin: 0.25rem 0; }
    .file { margin: 0.5rem 0 0; color: var(--soft); font-size: 0.85rem; }
    .source { margin: 0.25rem 0 0.75rem; padding: 0.4rem 0.75rem 0.4rem 3.5rem; \
    background: var(--box); }
    .source li { white-space: pre-wrap; } \
    .source li::marker { color: var(--soft); font-size: 0.8rem; }
    .source .here { background: var(--marked-box); outline: 1px solid var(--marked); \
    font-weight: 600; }
    .source .here::marker { color: var(--marked); font-weight: 700; }
    .interleaving td, .interleaving th { white-space: normal; overflow-wrap: anywhere; \
    vertical-align: top; }
    [hidden] { display: none !important; }
    .filter { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; }
    .filter input[type="search"] { font: inherit; flex: 1 1 14rem; min-width: 0; }
    .filter output, .steps output { color: var(--soft); font-size: 0.9rem; }
    .steps { position: sticky; top: 0; display: flex; flex-wrap: wrap; gap: 0.5rem; \
    align-items: center; padding: 0.4rem 0; background: var(--page); }
    .steps input { flex: 1 1 10rem; min-width: 0; } .steps button { font: inherit; }
    .steps output { flex: 1 1 100%; overflow-wrap: anywhere; }
    .interleaving .now td { background: var(--box); font-weight: 600; }
    .interleaving .later td { opacity: 0.35; }
    svg { display: block; }
    svg.graph { max-width: 100%; height: auto; }
    svg text { fill: var(--text); font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", \
    sans-serif; }
    .graph .node rect { fill: var(--box); stroke: var(--soft); stroke-width: 1; }
    .graph .pool rect, .graph .queue rect, .graph .blocks rect { stroke-dasharray: none; }
    .graph .task rect { stroke-dasharray: 5 3; }
    .graph .node.marked rect { fill: var(--marked-box); stroke: var(--marked); stroke-width: 3; }
    .graph a:focus { outline: none; }
    .graph a.node:focus-visible rect { stroke: var(--focus); stroke-width: 5; }
    .graph a:hover .title { text-decoration: underline; }
    .graph .node .title { font-weight: 600; }
    .graph .node .kind { fill: var(--soft); font-size: 11px; }
    .graph .node.marked .kind { fill: var(--marked); font-weight: 600; }
    .graph .node .place { font-size: 11px; \
    font-family: ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace; }
    .graph .edge { fill: none; stroke: var(--soft); stroke-width: 1.3; }
    .graph .edge.marked { stroke: var(--marked); stroke-width: 3; }
    .graph .arrow { fill: var(--soft); } .graph .arrow.marked { fill: var(--marked); }
    .graph .label { text-anchor: middle; font-size: 11px; stroke: var(--page); stroke-width: 4; \
    paint-order: stroke; }
    .graph .label.marked { fill: var(--marked); font-weight: 600; }
    .timeline .axis { fill: none; stroke: var(--line); }
    .timeline .tick { text-anchor: middle; fill: var(--soft); font-size: 11px; }
    .timeline .running { fill: var(--running); }
    .timeline .waiting { fill: var(--waiting); } .timeline .hatch { fill: var(--hatch); }
    .timeline .bar { stroke: var(--hatch); }
    .timeline .on-bar { fill: var(--on-bar); font-size: 11px; }
    .sample { display: inline-block; width: 2rem; height: 0.8rem; vertical-align: middle; }
    .sample.running { background: var(--running); }
    .sample.waiting { background: repeating-linear-gradient(45deg, var(--hatch) 0 2px, \
    var(--waiting) 2px 6px); }
    @media (max-width: 40rem) {
      body { padding: 0.75rem; }
      ul, .stack { padding-left: 1.75rem; } .source { padding-left: 2.75rem; }
      th, td { white-space: normal; overflow-wrap: anywhere; }
      .matrix thead { display: none; } .matrix caption { display: block; }
      .matrix, .matrix tbody, .matrix tr, .matrix th, .matrix td { display: block; border: 0; \
    padding: 0; }
      .matrix tr { padding: 0.4rem 0; border-bottom: 1px solid var(--line); }
      .matrix th[scope="row"] { font-weight: 600; }
      .matrix td { padding-left: 1rem; } \
    .matrix td::before { content: attr(data-label) ": "; color: var(--soft); }
    }
    @media print { .scroll { overflow-x: visible; } }
    """
}
