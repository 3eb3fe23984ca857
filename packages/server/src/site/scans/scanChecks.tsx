import type { VerdictCode } from '@touchstone402/shared'
import { STACKS, type Stack } from '@touchstone402/shared/scan'
import type { ScanCheck } from '../../scans/scanRecord.ts'
import { Snippet } from '../components/prose.tsx'
import { VerdictMark } from '../components/verdictMark.tsx'
import { cleanText } from '../text.ts'

const COLORS: Readonly<Record<ScanCheck['severity'], VerdictCode>> = {
  critical: 'avoid',
  warn: 'caution',
  info: 'unknown',
}

const NAMES: Readonly<Record<ScanCheck['severity'], string>> = {
  critical: 'critical',
  warn: 'warning',
  info: 'note',
}

type ChecksProps = { readonly checks: readonly ScanCheck[] }

/** Failed checks with what was measured, what to change, and a recipe for the stack that was seen. */
export function FailedChecks({ checks, stack }: ChecksProps & { readonly stack: Stack }) {
  // Several checks may share one recipe, which is shown once.
  const recipes = checks.map(({ recipe }) => recipe)
  return (
    <>
      {checks.map(({ id, severity, title, detail, fix, recipe }, index) => (
        <article class={`finding v-${COLORS[severity]}`} id={`check-${id}`}>
          <h3>
            <VerdictMark
              verdict={COLORS[severity]}
              symbol={severity === 'info' ? 'info' : COLORS[severity]}
            />
            <span>
              <Coded text={title} /> <span class="chip">{NAMES[severity]}</span>
            </span>
          </h3>
          {detail !== '' && (
            <p>
              <Coded text={cleanText(detail, 600)} />
            </p>
          )}
          {fix !== undefined && (
            <p class="fix">
              <b>How to fix it:</b> <Coded text={fix} />
            </p>
          )}
          {recipe !== undefined && recipes.indexOf(recipe) === index && (
            <details>
              <summary>Recipe for {STACKS[stack]}</summary>
              <Snippet label={`Recipe for ${STACKS[stack]}`} code={recipe} />
            </details>
          )}
        </article>
      ))}
    </>
  )
}

/** Checks that passed, and those that nothing could be said of. */
export function OtherChecks({ checks }: ChecksProps) {
  const passed = checks.filter(({ outcome }) => outcome === 'pass')
  const unknown = checks.filter(({ outcome }) => outcome === 'unknown')
  return (
    <>
      {passed.length > 0 && <h3>Passed</h3>}
      <ul class="feed">
        {passed.map(({ id, title }) => (
          <li id={`check-${id}`}>
            <VerdictMark verdict="safe" />
            <p>
              <Coded text={title} />
            </p>
          </li>
        ))}
      </ul>
      {unknown.length > 0 && (
        <p class="small muted">{unknown.length} further checks need an answer that was not given.</p>
      )}
    </>
  )
}

/** Text with its parts between backticks as code. */
function Coded({ text }: { readonly text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
}
