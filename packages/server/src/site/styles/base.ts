/** Bare elements, header and footer. */
export const BASE_STYLE = `
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 5rem; }
body { margin: 0; background: var(--page); color: var(--ink); font: 400 1rem/1.55 var(--sans); overflow-wrap: break-word; }
h1, h2, h3, h4, p, ul, ol, dl, dd, figure, pre, table { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1, h2, h3 { line-height: 1.2; letter-spacing: -.015em; text-wrap: balance; }
h1 { font-size: clamp(1.7rem, 1.2rem + 2vw, 2.4rem); font-weight: 720; }
h2 { font-size: 1.22rem; font-weight: 680; }
h3 { font-size: 1rem; font-weight: 650; }
a { color: var(--link); text-underline-offset: .18em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
code, pre, .mono { font-family: var(--mono); font-size: max(.8125rem, .875em); font-variant-ligatures: none; }
time, .num, td { font-variant-numeric: tabular-nums; }
svg { display: block; }
.wrap { width: min(100% - 2rem, 72rem); margin-inline: auto; }
.muted { color: var(--muted); }
.small { font-size: .875rem; }
.hidden { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.sprite { position: absolute; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; z-index: 9; padding: .5rem 1rem; background: var(--surface); border-radius: 8px; }
.top { background: var(--surface); border-bottom: 1px solid var(--line); }
.top .wrap { display: flex; flex-wrap: wrap; align-items: center; gap: .35rem 1.5rem; min-height: 4rem; padding-block: .6rem; }
.brand { display: inline-flex; align-items: center; gap: .6rem; color: var(--ink); font-weight: 720; font-size: 1.12rem; letter-spacing: -.02em; text-decoration: none; }
.stone { width: 1.85rem; height: 1.85rem; }
.stone .rock { fill: var(--rock); }
.stone .streak { stroke: var(--gold); stroke-width: 3.4; stroke-linecap: round; }
.stone .thin { stroke-width: 1.6; opacity: .75; }
.top nav { display: flex; flex-wrap: wrap; gap: .1rem; flex: 1; margin-inline-start: -.6rem; }
.top nav a { padding: .4rem .65rem; color: var(--muted); text-decoration: none; font-size: .94rem; border-radius: 8px; }
.top nav a:hover { color: var(--ink); background: var(--sunken); }
.top nav a[aria-current] { color: var(--ink); font-weight: 620; }
.search { display: flex; min-width: 0; flex: 0 1 19rem; }
.search input { flex: 1; min-width: 0; height: 2.4rem; padding: 0 .8rem; color: inherit; background: var(--page); border: 1px solid var(--line-strong); border-inline-end: 0; border-radius: 10px 0 0 10px; font: inherit; font-size: .94rem; appearance: none; }
.search button { height: 2.4rem; padding: 0 1rem; color: #fff; background: #23262d; border: 1px solid #23262d; border-radius: 0 10px 10px 0; font: inherit; font-size: .94rem; font-weight: 620; cursor: pointer; }
.search button:hover { background: #3a3f49; }
.search.large { flex: none; max-width: 40rem; }
.search.large input, .search.large button { height: 3.25rem; font-size: 1.06rem; }
.search.large input { background: var(--surface); padding-inline: 1.1rem; }
.search.large button { padding-inline: 1.6rem; }
.search input::placeholder { color: var(--muted); opacity: 1; }
main { padding-block: 2rem 4rem; }
.foot { border-top: 1px solid var(--line); padding-block: 1.75rem 2.5rem; color: var(--muted); font-size: .875rem; }
.foot .wrap { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .6rem 3rem; }
.foot p { max-width: 44rem; }
@media (prefers-color-scheme: dark) {
  .search button { background: #e9eaed; border-color: #e9eaed; color: #16191f; }
  .search button:hover { background: #fff; }
}
@media (max-width: 61.99rem) {
  .top .wrap { padding-block: .75rem; justify-content: space-between; }
  .top nav { order: 3; flex: 1 0 100%; min-width: 0; flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none; margin-inline: -.65rem; }
  .top nav a { white-space: nowrap; }
}
@media (max-width: 44rem) {
  .top nav a { padding: .35rem .33rem; font-size: .8125rem; }
  .search { flex: 1 1 10rem; }
  .search:not(.large) button { padding-inline: .8rem; }
  .search:not(.large) input { padding-inline: .6rem .3rem; }
  main { padding-block: 1.25rem 3rem; }
}
@media print {
  .top, .foot { display: none; }
  body { background: #fff; }
}
`
