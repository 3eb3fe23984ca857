import { VERDICT_LABELS, type VerdictCode } from '@touchstone402/shared'

/** The symbols that marks refer to, once per page. Verdicts differ by outline as well as by colour. */
export function MarkSprite() {
  return (
    <svg class="sprite" aria-hidden="true" width="0" height="0">
      <symbol id="m-safe" viewBox="0 0 24 24">
        <path d="M12 1.5 21 5v6.6c0 5-3.6 9-9 10.9-5.4-1.9-9-5.9-9-10.9V5z" fill="currentColor" />
        <path d="m7.6 12.1 3.1 3.1 5.8-6.3" class="cut" />
      </symbol>
      <symbol id="m-caution" viewBox="0 0 24 24">
        <path
          d="M10.3 2.9a2 2 0 0 1 3.4 0l8.7 15.2a2 2 0 0 1-1.7 3H3.3a2 2 0 0 1-1.7-3z"
          fill="currentColor"
        />
        <path d="M12 8.5v5.2m0 3.6v.1" class="cut" />
      </symbol>
      <symbol id="m-avoid" viewBox="0 0 24 24">
        <path d="M7.7 1.5h8.6l6.2 6.2v8.6l-6.2 6.2H7.7l-6.2-6.2V7.7z" fill="currentColor" />
        <path d="m8 8 8 8m0-8-8 8" class="cut" />
      </symbol>
      <symbol id="m-unknown" viewBox="0 0 24 24">
        <circle cx="12" cy="12" r="9.8" class="dashed" />
        <path d="M9.3 9.3a2.8 2.8 0 1 1 4.1 2.5c-.9.5-1.4 1-1.4 2m0 3.1v.1" class="line" />
      </symbol>
      <symbol id="m-info" viewBox="0 0 24 24">
        <circle cx="12" cy="12" r="9.8" class="line" />
        <path d="M12 11.2v5.6m0-9.6v.1" class="line" />
      </symbol>
      <symbol id="m-new" viewBox="0 0 24 24">
        <circle cx="12" cy="12" r="9.8" class="line" />
        <path d="M12 7.6v8.8M7.6 12h8.8" class="line" />
      </symbol>
    </svg>
  )
}

export type VerdictMarkProps = {
  readonly verdict: VerdictCode
  readonly symbol?: VerdictCode | 'info' | 'new' | undefined
}

/**
 * A symbol in the colour of a verdict. Hidden from screen readers, so its meaning must also appear in words.
 * @param props.symbol @default the symbol of the verdict
 */
export function VerdictMark({ verdict, symbol = verdict }: VerdictMarkProps) {
  return (
    <svg class={`mark v-${verdict}`} aria-hidden="true">
      <use href={`#m-${symbol}`} />
    </svg>
  )
}

/** Symbol and name of a verdict, for tables and lists. */
export function VerdictTag({ verdict }: { verdict: VerdictCode }) {
  return (
    <span class={`tag v-${verdict}`}>
      <VerdictMark verdict={verdict} />
      {VERDICT_LABELS[verdict]}
    </span>
  )
}
