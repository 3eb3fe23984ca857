import type { Flag, Status, StatusFeed, VerdictCode } from '@touchstone402/shared'
import type { Time } from './facts.ts'
import type { EndpointRow } from './hostDocument.ts'

/** Endpoints that are alike in everything that is counted. */
export type EndpointGroup = {
  readonly verdict: VerdictCode
  readonly status: Status
  readonly category: string | null
  readonly priceUsd: number | null
  readonly stability: string | null
  readonly receiverProfile: string | null
  readonly flags: readonly Flag[]
  readonly listedBy: readonly string[]
  /** Directories that list the endpoint as not working. */
  readonly unhealthyIn: readonly string[]
  readonly count: number
}

/** Everything, counted at a time. */
export type Totals = {
  readonly at: Time
  /** Time that counting took, in ms. */
  readonly tookMs: number
  readonly endpoints: readonly EndpointGroup[]
  readonly hosts: readonly {
    readonly verdict: VerdictCode
    readonly isWorking: boolean
    readonly count: number
  }[]
  /** When the first host was seen; null without any. */
  readonly firstSeen: Time | null
  /** Number of receivers with a record. */
  readonly receivers: number
  /** Safe hosts, those with the most live endpoints first. */
  readonly providers: StatusFeed['topProviders']
  /** Safe endpoints of safe hosts, best first. */
  readonly healthy: readonly EndpointRow[]
}
