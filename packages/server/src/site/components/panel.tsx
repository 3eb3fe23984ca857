import type { ComponentChild, ComponentChildren } from 'preact'

type PanelProps = {
  readonly id: string
  readonly title: ComponentChild
  /** Shown beside the heading. */
  readonly extra?: ComponentChild
  readonly children: ComponentChildren
}

/** A section with a heading. */
export function Panel({ id, title, extra, children }: PanelProps) {
  return (
    <section class="panel" aria-labelledby={id}>
      <div class="head">
        <h2 id={id}>{title}</h2>
        {extra}
      </div>
      {children}
    </section>
  )
}

type Choice = { readonly href: string; readonly text: ComponentChild; readonly isCurrent: boolean }

type ChoicesProps = { readonly label: string; readonly options: readonly Choice[] }

/** Links that choose what a list or chart shows. */
export function Choices({ label, options }: ChoicesProps) {
  return (
    <nav class="filters" aria-label={label}>
      {options.map(({ href, text, isCurrent }) => (
        <a href={href} {...(isCurrent && { 'aria-current': 'true' as const })}>
          {text}
        </a>
      ))}
    </nav>
  )
}

export type Definition = {
  readonly term: ComponentChild
  readonly text: ComponentChild
  /** Takes a line of its own. @default false */
  readonly isWide?: boolean
}

/** Terms with their values or explanations. */
export function Definitions({ list, ...props }: { class?: string; list: readonly Definition[] }) {
  return (
    <dl class={props.class}>
      {list.map(({ term, text, isWide = false }) => (
        <div class={isWide ? 'broad' : undefined}>
          <dt>{term}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
}

type PagesProps = {
  /** From 1. */
  readonly page: number
  readonly pages: number
  readonly urlOf: (page: number) => string
}

/** Links to the pages before and after one. Empty if there is one page. */
export function Pages({ page, pages, urlOf }: PagesProps) {
  if (pages < 2) return null
  return (
    <nav class="pages" aria-label="Pages">
      {page > 1 ? <a href={urlOf(page - 1)}>Previous</a> : <span />}
      <span class="muted">
        {page} of {pages}
      </span>
      {page < pages ? <a href={urlOf(page + 1)}>Next</a> : <span />}
    </nav>
  )
}
