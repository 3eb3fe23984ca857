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

/** Endpoints of one host and category that are live and ask one price. */
export type HostPrice = {
  readonly host: string
  readonly category: string | null
  readonly priceUsd: number
  /** When the host was first seen. */
  readonly firstSeen: Time
}

/** Everything, counted at a time. */
export type Totals = {
  readonly at: Time
  /** Time that counting took, in ms. */
  readonly tookMs: number
  readonly endpoints: readonly EndpointGroup[]
  /** Equal ones once. */
  readonly prices: readonly HostPrice[]
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
