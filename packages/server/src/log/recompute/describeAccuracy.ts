import type { GroupFinding, RecomputedAccuracy } from './recomputeAccuracy.ts'

/** Whether the report counted what the log gives. */
export function isAccurate({ outcomes, deliveries, refused }: RecomputedAccuracy): boolean {
  return refused.length === 0 && [...outcomes, ...(deliveries ?? [])].every(({ isEqual }) => isEqual)
}

/** Describes the result for people, a line a finding. */
export function describeRecomputedAccuracy(result: RecomputedAccuracy): string {
  const { afterDays, date, countedOn, outcomes, deliveries, forgotten, dropped, refused } = result
  const period = afterDays === 1 ? 'day' : `${afterDays} days`
  return [
    `verdicts of ${date}, and what the ${period} after them showed, counted by the report of ${countedOn}`,
    ...(forgotten === 0 ? [] : [`${forgotten} decisions have no opening and cannot be counted`]),
    ...(dropped === 0
      ? []
      : [
          `${dropped} endpoints to avoid have no probes of the 48 h before: the report may count as many more`,
        ]),
    ...refused.map(({ host, reason }) => `refused    ${host}: ${reason}`),
    ...outcomes.map((finding) => describe('outcomes', finding)),
    ...(deliveries === null
      ? ['not known  purchases: they are published 30 days after the period']
      : deliveries.map((finding) => describe('purchases', finding))),
  ].join('\n')
}

function describe(name: string, { group, isEqual, stated, recomputed }: GroupFinding<object>): string {
  const counts = JSON.stringify(stated)
  const other = isEqual ? '' : `, recomputed ${JSON.stringify(recomputed)}`
  return `${(isEqual ? 'equal' : 'different').padEnd(9)}  ${name} of ${group.replace(' null', '')}: ${counts}${other}`
}
