import type { VerifyFinding } from './compareVerify.ts'
import type { RecomputedLog } from './recomputeLogged.ts'

/** Whether nothing contradicts the log. */
export function isConsistent({ findings }: RecomputedLog, verify: VerifyFinding): boolean {
  return (
    verify.outcome !== 'different' && findings.every(({ isEqual, isStated }) => isEqual || isStated === true)
  )
}

/** Describes the result for people, one line a finding. */
export function describeRecomputed(result: RecomputedLog, verify: VerifyFinding): string {
  const { endpoint, date, decision, days, observations, findings, parts } = result
  const gone = days.gone === 0 ? '' : `, ${days.gone} days no longer kept`
  return [
    `${endpoint} at the end of ${date}: leaf ${decision.index} of ${decision.leaf.at}, score ${decision.leaf.scoreVersion}`,
    `${observations.count} probes since ${observations.from}; ${days.checked} days checked against their leaves${gone}`,
    ...findings.map(({ field, isEqual, isStated, stated, recomputed }) => {
      const outcome = isStated ? 'stated' : isEqual ? 'equal' : 'different'
      const other = isEqual || isStated ? '' : `, recomputed ${JSON.stringify(recomputed)}`
      return `${outcome.padEnd(9)}  ${field}: ${JSON.stringify(stated)}${other}`
    }),
    `${verify.outcome.padEnd(9)}  /verify: ${verify.detail}`,
    ...(parts ?? []).map(({ points, name, evidence }) => `${`${points}`.padStart(9)}  ${name}: ${evidence}`),
  ].join('\n')
}
