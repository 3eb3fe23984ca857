/** What the script adds: copy buttons. */
export const SCRIPT_STYLE = `
.copies { position: relative; min-width: 0; }
.copies .snippet { padding-inline-end: 4.75rem; }
.copies > .copy { position: absolute; inset-block-start: .95rem; inset-inline-end: .5rem; }
button.copy { padding: .15rem .55rem; color: var(--muted); background: var(--surface); border: 1px solid var(--line); border-radius: 7px; font: inherit; font-size: .8125rem; cursor: pointer; }
button.copy:hover { color: var(--ink); border-color: var(--line-strong); }
button.copy:not(.icon)::before { content: "Copy"; }
button.copy.done:not(.icon)::before { content: "Copied"; }
button.copy.failed:not(.icon)::before { content: "Failed"; }
button.copy.icon { display: inline-grid; place-content: center; width: 1.5rem; height: 1.5rem; padding: .15rem 0 0; margin-block: -.4rem; background: none; border-color: transparent; vertical-align: middle; }
button.copy.icon::before { content: ""; display: block; width: .5rem; height: .62rem; border: 1.5px solid; border-radius: 2px; box-shadow: 2.5px -2.5px 0 -1px var(--surface), 2.5px -2.5px 0 0 currentColor; }
button.copy.icon.done { color: var(--safe); }
button.copy.icon.failed { color: var(--avoid); }
/* Too narrow for a button beside the code. */
.columns > .stack:last-child .copies .snippet { padding-inline-end: 1rem; }
.columns > .stack:last-child .copies > .copy { position: static; display: block; margin: .4rem 0 0 auto; }
@media (max-width: 44rem) {
  .copies .snippet { padding-inline-end: 1rem; }
  .copies > .copy { position: static; display: block; margin: .4rem 0 0 auto; }
}
@media print { .copy { display: none; } }
`
