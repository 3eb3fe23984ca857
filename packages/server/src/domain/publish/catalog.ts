import type { StatusFeed } from '@touchstone402/shared'
import { toTimestamp } from '../facts/times.ts'
import { describeEcosystem } from './ecosystem.ts'
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
