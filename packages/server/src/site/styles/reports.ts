/** Daily reports. */
export const REPORT_STYLE = `
.says-so { display: grid; gap: .45rem; margin-block: .75rem 1.25rem; max-width: 52rem; font-size: 1.08rem; }
.says-so > :first-child { font-size: clamp(1.2rem, 1rem + 1vw, 1.5rem); font-weight: 640; line-height: 1.3; letter-spacing: -.01em; text-wrap: balance; }
.days { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .3rem 1.5rem; margin-bottom: 1.25rem; font-size: .94rem; }
.plot .p-verdict { fill: var(--v); }
.legend .swatch { width: .8rem; height: .8rem; border-radius: 3px; background: var(--v); }
/* The plot is scaled to the page, its labels are not. */
.plot.wide text { font-size: 9px; }
@media (min-width: 62rem) { .plot.wide text { font-size: 6px; } }
@media (max-width: 44rem) { .plot.wide text { font-size: 19px; } }
`
