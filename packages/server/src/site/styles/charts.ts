/** Charts. */
export const CHART_STYLE = `
.cells { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: .5rem .3rem; }
.cells svg { width: 100%; height: auto; }
@media (max-width: 44rem) { .cells { grid-template-columns: 1fr; } }
.c-up { fill: var(--up); }
.c-down { fill: var(--down); }
.c-x { stroke: var(--surface); stroke-width: 1.5; stroke-linecap: round; }
.c-gap { fill: none; stroke: var(--gap); stroke-width: 1; stroke-dasharray: 1.8 1.4; }
.c-none { fill: var(--gap); }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; margin-top: .6rem; color: var(--muted); font-size: .855rem; }
.legend li { display: inline-flex; align-items: center; gap: .4rem; }
.legend .stroke { width: 1.6rem; height: .5rem; }
.legend svg:not(.stroke) { width: .5rem; height: 1.7rem; }
.axis { display: flex; justify-content: space-between; color: var(--muted); font-size: .8125rem; margin-top: .25rem; }
.plot:not(.stroke) { width: 100%; height: auto; overflow: visible; }
.plot text { fill: var(--muted); font: 14px var(--sans); font-variant-numeric: tabular-nums; }
/* Narrow plots are scaled down. */
.columns > .stack:last-child .plot text { font-size: 18px; }
@media (min-width: 62rem) { .pair.broad .plot text { font-size: 10px; } .plots .plot text { font-size: 15px; } }
@media (max-width: 61.99rem) { .plot text, .columns > .stack:last-child .plot text { font-size: 16.5px; } }
.plot .grid { stroke: var(--line); }
.plot .p-line { fill: none; stroke: var(--series); stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.plot .p-soft { fill: none; stroke: var(--series); stroke-width: 1.5; stroke-dasharray: 4 3; opacity: .8; }
.plot .p-area { fill: var(--series-soft); opacity: .35; }
.plot .p-dot { fill: var(--series); }
.plot .p-bar { fill: var(--series); }
.plot .p-bar.bad { fill: var(--down); }
.signed { width: 100%; min-width: 6rem; height: .8rem; }
.signed .axis { stroke: var(--line-strong); stroke-width: .4; }
.p-bar { fill: var(--series); }
.p-bar.loss { fill: var(--caution); }
td.bar { width: 40%; vertical-align: middle; }
.pair figcaption, .panel > .small + table { margin-block: 0 .5rem; }
.panel > .small + table { margin-top: .7rem; }
.question { color: var(--muted); margin-bottom: .8rem; }
.share { width: 100%; height: .6rem; margin-bottom: .7rem; border-radius: 99px; overflow: hidden; }
.share rect { fill: var(--v); }
`
