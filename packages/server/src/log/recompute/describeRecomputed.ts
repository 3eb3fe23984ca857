import type { VerifyFinding } from './compareVerify.ts'
import type { RecomputedLog } from './recomputeLogged.ts'

/** What published looks leave out, so that nobody learns to recognise a probe. */
const WITHHELD =
  'Published looks leave out minutes, addresses, headers, and which clients of two days are one: what only these decide is possible, not proven.'

/** Whether nothing contradicts the log. */
export function isConsistent({ findings }: RecomputedLog, verify: VerifyFinding): boolean {
  return verify.outcome !== 'different' && findings.every(({ outcome }) => outcome !== 'different')
}

/** Describes the result for people, one line a finding. */
export function describeRecomputed(result: RecomputedLog, verify: VerifyFinding): string {
  const { endpoint, date, decision, days, looks, hasPrices, findings, parts } = result
  const gone = days.gone === 0 ? '' : `, ${days.gone} days no longer kept`
  const older = days.older === 0 ? '' : `, ${days.older} days of an older form not read`
  return [
    `${endpoint} at the end of ${date}: leaf ${decision.index} of ${decision.leaf.at}, score ${decision.leaf.scoreVersion}`,
    `${looks.count} looks since ${looks.from}; ${days.checked} days checked against their leaves${gone}${older}`,
    ...(hasPrices ? [] : [`The log holds no medians of ${date}: price_high was computed without.`]),
    ...findings.map(({ field, outcome, stated, recomputed }) => {
      const values = recomputed.map((value) => JSON.stringify(value)).join(' or ')
      return `${outcome.padEnd(9)}  ${field}: ${JSON.stringify(stated)}${outcome === 'equal' ? '' : `, recomputed ${values}`}`
    }),
    `${verify.outcome.padEnd(9)}  /verify: ${verify.detail}`,
    ...(parts ?? []).map(({ points, name, evidence }) => `${`${points}`.padStart(9)}  ${name}: ${evidence}`),
    ...(findings.some(({ outcome }) => outcome === 'possible') ? [WITHHELD] : []),
  ].join('\n')
}
