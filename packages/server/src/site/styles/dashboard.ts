/** Dashboard, lists and docs. */
export const DASHBOARD_STYLE = `
.ask { display: grid; gap: 1.5rem 3rem; align-items: center; padding-block: .5rem .75rem; }
.ask > div { display: grid; gap: .9rem; }
@media (min-width: 62rem) { .ask { grid-template-columns: minmax(0, 1fr) 27rem; padding-block: 1.25rem 1rem; } }
.ask h1 { max-width: 20ch; }
.ask div > p { color: var(--muted); font-size: 1.08rem; max-width: 44rem; }
.counts { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1px; background: var(--line); border-radius: 10px; overflow: hidden; border: 1px solid var(--line); margin-bottom: 1rem; }
.counts > * { background: var(--surface); padding: .85rem 1.1rem; color: inherit; text-decoration: none; }
.counts a:hover { background: var(--sunken); }
.counts .n { display: flex; align-items: center; gap: .5rem; font-size: 1.9rem; font-weight: 730; letter-spacing: -.03em; line-height: 1.15; font-variant-numeric: tabular-nums; }
.counts .n .mark { width: 1.35rem; height: 1.35rem; }
.counts .what { color: var(--muted); font-size: .875rem; }
.ask + .hero { margin-top: 1.25rem; }
.rows td, .rows tbody th { vertical-align: baseline; }
.rows .host { font-weight: 620; overflow-wrap: anywhere; }
.rows .host a { color: inherit; text-decoration: none; }
.rows .host a:hover { text-decoration: underline; }
.trust { font-weight: 680; }
.filters { display: flex; flex-wrap: wrap; gap: .35rem; }
.filters a { padding: .2rem .7rem; border: 1px solid var(--line); border-radius: 99px; font-size: .875rem; text-decoration: none; color: var(--muted); }
.filters a[aria-current] { color: var(--ink); border-color: var(--line-strong); background: var(--sunken); font-weight: 620; }
.below { margin-top: 1.25rem; }
.install { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem .8rem; }
.install code { padding: .3rem .75rem; border-radius: 8px; background: var(--sunken); color: var(--ink); user-select: all; }
.more { margin-bottom: 1rem; }
.filter { display: grid; gap: .2rem .9rem; padding-block: .3rem; }
@media (min-width: 44rem) { .filter { grid-template-columns: 5.5rem minmax(0, 1fr); align-items: baseline; } }
.arrivals { padding-block: .6rem; border-top: 1px solid var(--line); }
.arrivals .chips { gap: .2rem .9rem; font-size: .9rem; }
.feed:not(:empty) + .feed:not(:empty) { border-top: 1px solid var(--line); padding-top: .8rem; margin-top: .8rem; }
.feed + .arrivals { margin-top: .8rem; }
.pages { display: flex; justify-content: space-between; margin-top: 1rem; font-size: .94rem; }
.terms > div { display: grid; gap: .1rem 1rem; padding-block: .6rem; border-top: 1px solid var(--line); }
@media (min-width: 44rem) { .terms > div { grid-template-columns: 11.5rem minmax(0, 1fr); } }
.terms > div:target, .operation:target { background: var(--sunken); outline: 6px solid var(--sunken); border-radius: 4px; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .6rem 1.25rem; font-size: .9rem; }
.operation { padding-block: 1.1rem; border-top: 1px solid var(--line); display: grid; gap: .5rem; scroll-margin-top: 1rem; }
.operation:first-of-type { border-top: 0; padding-top: 0; }
.operation:last-child { padding-bottom: 0; }
.operation h3 { display: flex; flex-wrap: wrap; gap: .3rem .5rem; align-items: center; margin: 0; font-size: 1.06rem; }
.operation h3 .method { margin: 0; }
.calls { display: grid; gap: 0 .8rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 21rem), 1fr)); }
.grid dd { color: var(--muted); }
`
