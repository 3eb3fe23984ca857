/** Shared components: panels, tags, tables, snippets. */
export const PARTS_STYLE = `
.panel { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); box-shadow: var(--shadow); padding: 1.35rem 1.5rem 1.5rem; min-width: 0; }
.panel > h2 { margin-bottom: .9rem; }
.panel > h2 + .lede { margin-top: -.6rem; }
.panel h3 { margin: 1.5rem 0 .6rem; }
h1 + .lede, .head + .lede { margin-top: .5rem; }
.lede { color: var(--muted); margin-bottom: 1rem; max-width: 46rem; }
.stack { display: grid; gap: 1.25rem; align-content: start; min-width: 0; }
.columns { display: grid; gap: 1.25rem; margin-top: 1.25rem; align-items: start; }
@media (max-width: 61.99rem) {
  .columns.profile > .stack { display: contents; }
  .columns.profile > .stack > :first-child { order: -1; }
}
@media (min-width: 62rem) { .columns { grid-template-columns: minmax(0, 1fr) 20.5rem; } }
.mark { width: 1.15em; height: 1.15em; color: var(--v); flex: none; }
.cut { fill: none; stroke: var(--surface); stroke-width: 2.4; stroke-linecap: round; stroke-linejoin: round; }
.dashed { fill: none; stroke: currentColor; stroke-width: 2; stroke-dasharray: 3.2 2.4; }
.line { fill: none; stroke: currentColor; stroke-width: 2.2; stroke-linecap: round; stroke-linejoin: round; }
.tag .mark { align-self: center; }
.tag { display: inline-flex; align-items: baseline; gap: .4em; color: var(--v); font-weight: 620; white-space: nowrap; }
.chip { display: inline-block; padding: .1rem .5rem; border: 1px solid var(--line-strong); border-radius: 99px; color: var(--muted); font-size: .8125rem; font-weight: 560; white-space: nowrap; max-width: 100%; overflow: hidden; text-overflow: ellipsis; vertical-align: middle; }
.chip.mono { border-radius: 6px; }
.chips { display: flex; flex-wrap: wrap; gap: .35rem; }
.method { font: 620 .8125rem/1 var(--mono); padding: .2rem .35rem; border: 1px solid var(--line-strong); border-radius: 5px; color: var(--muted); margin-inline-end: .5rem; vertical-align: .08em; }
.address, .nowrap { white-space: nowrap; }
.endpoint { font-family: var(--mono); font-size: max(.8125rem, .855em); overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin-inline: -1.5rem; padding-inline: 1.5rem; }
table { width: 100%; border-collapse: collapse; font-size: .94rem; }
caption { text-align: start; color: var(--muted); font-size: .875rem; padding-bottom: .5rem; }
th { text-align: start; font-weight: 560; color: var(--muted); font-size: .82rem; padding: 0 1rem .45rem 0; border-bottom: 1px solid var(--line-strong); white-space: nowrap; }
td { padding: .6rem 1rem .6rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tbody th { color: var(--ink); font-size: inherit; white-space: normal; padding-block: .6rem; border-bottom: 1px solid var(--line); font-weight: 500; vertical-align: top; }
.rows tbody th { min-width: 13rem; }
tr:last-child > td, tbody tr:last-child > th { border-bottom: 0; }
th.end, td.end { text-align: end; }
@media (min-width: 62rem) { .columns > .stack:last-child :is(th, td):not(:last-child) { padding-inline-end: .7rem; } }
tr > :last-child { padding-inline-end: 0; }
@media (max-width: 44rem) {
  .cards, .cards tbody { display: block; }
  .cards thead { position: absolute; clip-path: inset(50%); height: 1px; overflow: hidden; }
  .cards tr { display: grid; grid-template-columns: repeat(6, minmax(0, 1fr)); gap: .4rem .3rem; padding-block: .8rem; border-bottom: 1px solid var(--line); }
  .cards tr:first-child { padding-top: 0; }
  .cards tr:last-child { border-bottom: 0; padding-bottom: 0; }
  .cards tbody th, .cards td { border: 0; padding: 0; }
  .cards td { grid-column: span 2; width: auto; }
  .cards td.half { grid-column: span 3; }
  .cards td > time { white-space: nowrap; }
  .cards tbody th { grid-column: 1 / -1; min-width: 0; font-weight: 620; }
  .cards td.whole { grid-column: 1 / -1; }
  .cards td.whole:empty { display: none; }
  .cards td.end { text-align: start; }
  .cards td[data-name]::before { content: attr(data-name); display: block; color: var(--muted); font-size: .8125rem; font-weight: 400; }
}
.notice code { display: block; margin-top: .15rem; color: var(--muted); }
.notice { padding: .85rem 1.1rem; background: var(--surface); border: 1px solid var(--line); border-inline-start: 4px solid var(--gold); border-radius: 10px; font-size: .94rem; }
.snippet { position: relative; margin-top: .6rem; padding: .85rem 1rem; background: var(--sunken); border-radius: 10px; overflow-x: auto; line-height: 1.65; font-size: .94rem; }
.snippet pre { white-space: pre-wrap; overflow-wrap: anywhere; }
:is(.snippet, .copies) + p { margin-top: .6rem; }
details > summary { cursor: pointer; color: var(--link); font-size: .9rem; width: fit-content; border-radius: 4px; }
details[open] > summary { margin-bottom: .6rem; }
.empty { color: var(--muted); padding-block: .25rem; }
.feed > li { display: grid; grid-template-columns: 1.35rem minmax(0, 1fr); gap: .15rem .7rem; padding-block: .8rem; border-bottom: 1px solid var(--line); }
.feed > li:first-child { padding-top: 0; }
.feed > li:last-child { border-bottom: 0; padding-bottom: 0; }
.feed .mark { margin-top: .15rem; }
.feed .body { display: grid; gap: .2rem; min-width: 0; }
.feed p { overflow-wrap: anywhere; }
.feed .meta { color: var(--muted); font-size: .855rem; display: flex; flex-wrap: wrap; gap: .1rem .9rem; }
.head { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: .3rem 1rem; margin-bottom: .9rem; }
.head a { font-size: .9rem; }
`
