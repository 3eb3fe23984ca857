import { RISK_LEVELS } from '@touchstone402/shared'
import { SCORE_SPEC } from '../../domain/publish/scoreSpec.ts'
import { Definitions, Panel } from '../components/panel.tsx'
import { formatDuration } from '../format.ts'

/** Every flag by risk level, with its meaning and fix. */
export function Flags() {
  const levels = RISK_LEVELS.toReversed()
    .map((level) => ({ level, flags: SCORE_SPEC.flags.filter(({ risk }) => risk === level) }))
    .filter(({ flags }) => flags.length > 0)
  return (
    <Panel id="flags" title="Flags and risk levels">
      <p class="lede">
        The risk level of an endpoint is that of its worst flag. Without flags it is clean, or unknown without
        a current measurement.
      </p>
      {levels.map(({ level, flags }) => (
        <>
          <h3>{`${level[0]?.toUpperCase()}${level.slice(1)} risk`}</h3>
          <Definitions
            class="terms"
            list={flags.map(({ id, meaning, fix }) => ({
              id: `flag-${id}`,
              term: <code class="chip mono">{id}</code>,
              text: (
                <>
                  {meaning} <span class="muted">Fix: {fix}</span>
                </>
              ),
            }))}
          />
        </>
      ))}
    </Panel>
  )
}

/** The thresholds of the score. */
export function Thresholds() {
  const thresholds = Object.entries(SCORE_SPEC.thresholds)
  return (
    <Panel id="thresholds" title="Thresholds">
      <details>
        <summary>{thresholds.length} values</summary>
        <Definitions
          class="grid"
          list={thresholds.map(([name, value]) => ({
            term: <code>{name.replace(/(Ms|Usd|Pct)$/, '')}</code>,
            text: formatThreshold(name, value),
          }))}
        />
      </details>
    </Panel>
  )
}

function formatThreshold(name: string, value: number): string {
  if (name.endsWith('Ms')) return formatDuration(value)
  if (name.endsWith('Usd')) return `$${value}`
  return name.endsWith('Pct') ? `${value}%` : `${value}`
}
