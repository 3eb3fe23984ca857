/** Trust profile. */
export const PROFILE_STYLE = `
.hero { display: grid; overflow: hidden; padding: 0; }
.plate { display: flex; flex-direction: column; align-items: center; justify-content: center; gap: .1rem; padding: 1.75rem 1rem 1.5rem; color: #fff; background: linear-gradient(160deg, #ffffff26, #fff0 65%), var(--v-deep); text-align: center; }
.plate .mark { width: 2.6rem; height: 2.6rem; color: #fff; --surface: var(--v-deep); margin-bottom: .35rem; }
.plate .mark.v-unknown { width: 4.5rem; height: 4.5rem; }
.plate .score { font-size: 4.4rem; font-weight: 760; line-height: 1; letter-spacing: -.045em; font-variant-numeric: tabular-nums; }
.plate .of { font-size: .9rem; opacity: .92; }
.says { padding: 1.6rem 1.75rem 1.5rem; min-width: 0; }
.says h1 { overflow-wrap: anywhere; font-size: clamp(1.25rem, 1rem + 1.3vw, 1.7rem); font-weight: 640; }
.says .verdict { color: var(--v); font-size: clamp(2rem, 1.5rem + 2.4vw, 3rem); font-weight: 760; line-height: 1.08; letter-spacing: -.03em; margin-top: .1rem; }
.says .verdict .small { font-weight: 400; letter-spacing: 0; }
.says .sentence { font-size: 1.1rem; margin-top: .55rem; max-width: 42rem; overflow-wrap: anywhere; }
.says .asof { color: var(--muted); font-size: .9rem; margin-top: .8rem; display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; }
@media (min-width: 44rem) { .hero { grid-template-columns: 12.5rem minmax(0, 1fr); } }
@media (max-width: 43.99rem) {
  .plate { display: grid; grid-template-columns: auto auto 1fr; gap: 0 .9rem; padding: .9rem 1.25rem; text-align: start; justify-items: start; align-items: center; }
  .plate .mark { margin: 0; width: 2.1rem; height: 2.1rem; }
  .plate .score { font-size: 3rem; }
  .says { padding: 1.2rem 1.25rem 1.25rem; }
}
.facts { grid-column: 1 / -1; display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1px; background: var(--line); border-top: 1px solid var(--line); }
@media (min-width: 36rem) { .facts { grid-template-columns: repeat(3, minmax(0, 1fr)); } }
@media (min-width: 48rem) { .facts { grid-template-columns: repeat(4, minmax(0, 1fr)); } }
@media (min-width: 66rem) { .facts { grid-template-columns: repeat(6, minmax(0, 1fr)); } }
.facts > div { background: var(--surface); padding: .8rem 1.1rem .85rem; min-width: 0; }
.facts dt { color: var(--muted); font-size: .8125rem; }
.facts dd { font-weight: 620; overflow-wrap: anywhere; }
.facts dd .sub { display: block; color: var(--muted); font-weight: 400; font-size: .8125rem; }
.apart { grid-column: 1 / -1; padding: .8rem 1.75rem; border-top: 1px solid var(--line); background: var(--sunken); overflow-wrap: anywhere; }
.hero + .notice { margin-top: 1.25rem; }
.finding { border: 1px solid var(--line); border-inline-start: 4px solid var(--v); border-radius: 10px; padding: .95rem 1.1rem 1rem; display: grid; gap: .5rem; }
.finding + .finding { margin-top: .75rem; }
.finding h3 { display: flex; align-items: flex-start; gap: .55rem; margin: 0; }
.finding .fix { background: var(--sunken); border-radius: 8px; padding: .55rem .8rem; font-size: .94rem; }
.finding .fix b { font-weight: 640; }
.sides { display: grid; gap: .8rem; }
@media (min-width: 44rem) { .sides { grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); } }
.side { border: 1px solid var(--line-strong); border-radius: 10px; padding: .75rem .95rem; display: grid; gap: .4rem; align-content: start; min-width: 0; }
.side.last { border-color: var(--v, var(--avoid)); }
.side dt { color: var(--muted); font-size: .855rem; }
.offer { overflow-wrap: anywhere; }
.panel > .sides { margin-block: .9rem; }
.evidence { font-size: .82rem; display: grid; gap: .2rem; }
.evidence li { overflow-wrap: anywhere; }
.clean { display: flex; gap: .7rem; align-items: flex-start; padding: .9rem 1.1rem; background: var(--safe-tint); border-radius: 10px; }
.clean .mark { margin-top: .18rem; --surface: var(--safe-tint); }
.sum td, .sum tbody th { padding-block: .5rem; }
.sum .sub { display: block; color: var(--muted); font-weight: 400; font-size: .855rem; line-height: 1.4; }
.sum .points { font-weight: 640; white-space: nowrap; }
.sum .minus { color: var(--avoid); }
.sum .total > * { border-top: 1px solid var(--line-strong); font-weight: 680; }
.pick { display: flex; flex-wrap: wrap; gap: .35rem; margin-bottom: 1rem; }
.pick a { padding: .25rem .6rem; border: 1px solid var(--line); border-radius: 8px; text-decoration: none; max-width: 100%; }
.pick a[aria-current] { border-color: var(--link); background: var(--sunken); }
.plots { display: grid; gap: 0 2rem; margin-bottom: 1rem; }
@media (min-width: 40rem) { .plots { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
@media (min-width: 62rem) { .plots { grid-template-columns: repeat(3, minmax(0, 1fr)); } }
.pair { display: grid; gap: 0 1.25rem; }
.line-list + p { margin-top: .8rem; }
@media (min-width: 44rem) { .pair:not(.broad) { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
@media (min-width: 62rem) { .pair.broad { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
.pair .rows tbody th { min-width: 0; }
.diff { color: var(--caution); font-weight: 640; }
.line-list > li { position: relative; padding: 0 0 1rem 1.35rem; border-inline-start: 2px solid var(--line-strong); margin-inline-start: .4rem; }
.line-list > li:last-child { padding-bottom: 0; border-color: transparent; }
.line-list > li::before { content: ""; position: absolute; inset-inline-start: -.46rem; top: .35rem; width: .8rem; height: .8rem; border-radius: 50%; background: var(--surface); border: 3px solid var(--series); }
.line-list > li.now::before { background: var(--series); }
.aside h2 { font-size: 1.05rem; }
.aside p { font-size: .94rem; }
.aside button { margin-top: .45rem; padding: .4rem .9rem; color: inherit; background: var(--surface); border: 1px solid var(--line-strong); border-radius: 8px; font: inherit; font-weight: 600; cursor: pointer; }
.aside button:hover { background: var(--sunken); }
.aside dl { display: grid; gap: .7rem; font-size: .94rem; }
.aside dt { font-weight: 620; }
`
