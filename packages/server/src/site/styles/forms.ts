/** Forms with labelled fields. */
export const FORM_STYLE = `
.form { display: grid; gap: 1rem; max-width: 46rem; }
.form .field { display: grid; gap: .3rem; min-width: 0; }
.form label { font-weight: 620; font-size: .94rem; }
.form .hint { color: var(--muted); font-size: .875rem; }
.form .fault { color: var(--avoid); font-weight: 620; font-size: .94rem; overflow-wrap: anywhere; }
.form input, .form textarea { width: 100%; min-width: 0; padding: .55rem .8rem; color: inherit; background: var(--page); border: 1px solid var(--line-strong); border-radius: 8px; font: inherit; font-family: var(--mono); font-size: .9rem; }
.form textarea { resize: vertical; line-height: 1.6; white-space: pre; overflow-x: auto; }
.form [aria-invalid] { border-color: var(--avoid); }
.form button, .act { justify-self: start; padding: .5rem 1.1rem; color: inherit; background: var(--surface); border: 1px solid var(--line-strong); border-radius: 8px; font: inherit; font-weight: 620; cursor: pointer; text-decoration: none; }
.form button:hover, .act:hover { background: var(--sunken); }
.form + .form, :is(.snippet, .copies) + .form { margin-top: 1rem; }
.ways { display: grid; gap: .8rem 2rem; }
.panel > .small, .panel > form + p { margin-top: .9rem; }
.ways dt { font-weight: 620; }
.ways .form { margin-top: .45rem; }
.panel > :is(.form, .snippet, .copies) + .ways { margin-top: 1.4rem; }
@media (min-width: 48rem) { .panel:not(.aside) > .ways { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
.panel.hero + .panel { margin-block: 1.25rem; }
progress { width: 100%; max-width: 30rem; height: .8rem; margin-bottom: 1.25rem; accent-color: var(--series); }
.steps { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.25rem; }
.panel .steps h3 { margin-top: 0; }
.code { font: 620 .875rem/1 var(--mono); color: var(--muted); letter-spacing: .02em; margin-bottom: .6rem; }
`
