import { RISK_LEVELS } from '@touchstone402/shared'
import { SCORE_SPEC } from '../../domain/judge/spec.ts'
import { formatDuration } from '../format.ts'

/** Every flag by its risk, with what it means and how to fix it. */
export function Flags() {
  return (
    <section class="panel" aria-labelledby="flags">
      <h2 id="flags">Flags and risk levels</h2>
      <p class="lede">The worst flag's level is the risk level of an endpoint; without a flag it is clean.</p>
      {RISK_LEVELS.toReversed()
        .filter((level) => SCORE_SPEC.flags.some(({ risk }) => risk === level))
        .map((level) => (
          <>
            <h3>{`${level[0]?.toUpperCase()}${level.slice(1)} risk`}</h3>
            <dl class="terms">
              {SCORE_SPEC.flags
                .filter(({ risk }) => risk === level)
                .map(({ id, meaning, fix }) => (
                  <div id={`flag-${id}`}>
                    <dt>
                      <code class="chip mono">{id}</code>
                    </dt>
                    <dd>
                      {meaning} <span class="muted">Fix: {fix}</span>
                    </dd>
                  </div>
                ))}
            </dl>
          </>
        ))}
    </section>
  )
}

/** The measured quantities at which a judgement turns. */
export function Thresholds() {
  return (
    <section class="panel" aria-labelledby="thresholds">
      <h2 id="thresholds">Thresholds</h2>
      <details>
        <summary>{Object.keys(SCORE_SPEC.thresholds).length} quantities</summary>
        <dl class="grid">
          {Object.entries(SCORE_SPEC.thresholds).map(([name, value]) => (
            <div>
              <dt>
                <code>{name.replace(/(Ms|Usd|Pct)$/, '')}</code>
              </dt>
              <dd>{formatThreshold(name, value)}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  )
}

function formatThreshold(name: string, value: number): string {
  if (name.endsWith('Ms')) return formatDuration(value)
  if (name.endsWith('Usd')) return `$${value}`
  return name.endsWith('Pct') ? `${value}%` : `${value}`
}
