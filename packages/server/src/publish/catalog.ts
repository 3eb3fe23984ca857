import type { Ecosystem, Status, StatusFeed } from '@touchstone402/shared'
import { toTimestamp } from '../facts/times.ts'
import { sharePct } from './sharePct.ts'
import type { Tally } from './tally.ts'

/** Builds the body of `/status.json`, without the dataset on sale. */
export function describeStatus(tally: Tally): Omit<StatusFeed, 'dataset'> {
  const { byLevel, byFlag } = tally.risks
  return {
    asOf: toTimestamp(tally.now),
    ecosystem: describeEcosystem(tally.statuses),
    catalogAudit: tally.directories,
    security: { riskByLevel: byLevel, flagCounts: byFlag },
    receiverStability: { ...tally.stabilities },
    receiverOnchain: { ...tally.receivers },
    topHealthy: [...tally.topHealthy],
    topProviders: [...tally.topProviders],
  }
}

/** Summarises the number of endpoints by status. */
export function describeEcosystem(counts: ReadonlyMap<Status, number>): Ecosystem {
  const count = (status: Status) => counts.get(status) ?? 0
  const tracked = [...counts.values()].reduce((sum, number) => sum + number, 0)
  return {
    tracked,
    live: count('live'),
    dead: count('dark'),
    invalid: count('invalid'),
    unmeasured: count('unmeasured'),
    deadPct: sharePct(count('dark'), tracked),
  }
}
