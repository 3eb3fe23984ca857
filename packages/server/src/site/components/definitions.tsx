import type { ComponentChild } from 'preact'

export type Definition = {
  readonly term: ComponentChild
  readonly text: ComponentChild
  readonly id?: string
}

/** Terms with their values or explanations. */
export function Definitions({ list, ...props }: { class?: string; list: readonly Definition[] }) {
  return (
    <dl class={props.class}>
      {list.map(({ term, text, id }) => (
        <div id={id}>
          <dt>{term}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
}
