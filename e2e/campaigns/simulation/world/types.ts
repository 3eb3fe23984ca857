import type { ListedRow } from '@touchstone402/server/testing'

import type { Phase, Reply, SellerRequest, Wire } from './phase.ts'

export type { Entry, Phase, Region, Reply, SellerRequest, Wire } from './phase.ts'

/** A fault of a host for a period, and the verdict that it requires. */
export type Fault = {
  readonly fromDay: number
  readonly toDay: number
  /** First day on which it is visible. @default fromDay */
  readonly visibleFromDay?: number
  /** The mildest sufficient verdict. */
  readonly verdict: 'caution' | 'avoid'
  /** Flags of which at least one must be raised. Empty if the status shows the fault. */
  readonly flags: readonly string[]
  /** The path that it concerns. @default all */
  readonly path?: string
  /** Whether the probes may not show it for a while, so that the host may be safe again on its usual terms. */
  readonly isIntermittent?: boolean
}

/** Terms that no verdict may vouch for in a period: those of a receiver, on a network, or above an amount. */
export type Forbidden = {
  readonly fromDay: number
  readonly toDay: number
  readonly network?: string
  readonly payTo?: string
  readonly aboveAtomic?: string
}

/** Differences of a rival's listing of a host from a right one. */
export type RivalListing = Partial<Omit<ListedRow, 'claims'>> & {
  readonly claims?: Partial<ListedRow['claims']>
}

/** Listing of a host in a directory. */
export type Claim = {
  /** `none` for a host that lists itself nowhere. */
  readonly directory: 'bazaar' | '402index' | 'none'
  readonly method: string | null
  /** Claimed price: follows the challenge or stays, and is refreshed every 6 h or never. */
  readonly price: 'follows' | 'stays'
  readonly isRefreshed: boolean
  readonly calls: number | null
}

/** Result of a test purchase at a host. */
export type ScriptedPurchase = {
  readonly atDay: number
  readonly delivered: boolean
  /** @default /api */
  readonly path?: string
  /** @default the address of the host */
  readonly payTo?: string
}

/** An on-chain payment from one receiver to another. */
export type Funding = { readonly atDay: number; readonly from: string; readonly to: string }

/** A cache in front of a host, which also keeps its 402 responses. */
export type EdgeCache = {
  readonly minutes: number
  /** Points of presence, each with a separate cache. A request reaches a random one. */
  readonly points: number
  /** Request header that the cache distinguishes, if any. */
  readonly varyBy?: string
}

/** A simulated host: its behavior over the simulated time, and its expected verdicts. */
export type Host = {
  readonly host: string
  readonly kind: string
  readonly isHonest: boolean
  readonly category: string
  /** @default v2 */
  readonly wire?: Wire
  readonly cache?: EdgeCache
  /** Listed paths. @default /api */
  readonly paths?: readonly string[]
  /** Day from which directories list it. @default the first */
  readonly listedFromDay?: number
  /** Listing in the Bazaar that a rival keeps fresh. */
  readonly rival?: RivalListing
  /** Paths of an honest host that belong to a bad tenant. */
  readonly foulPaths?: readonly string[]
  /** Time that it takes to answer, in ms. */
  readonly latencyMs?: number
  /** Whether it accepts a request; others get 422. @default all */
  readonly validates?: (request: SellerRequest) => boolean
  readonly onlyPost?: boolean
  readonly onlyGet?: boolean
  /** Whether its directory entry declares the input. @default true for hosts that answer GET without input */
  readonly declaresInput?: boolean
  /** Does not declare its output. */
  readonly hidesOutput?: boolean
  /** Requests that it refuses. */
  readonly refuses?: (request: SellerRequest) => boolean
  /** How it refuses them. @default blocked */
  readonly refusal?: Reply
  readonly phases: readonly Phase[]
  readonly claim: Claim
  /** By its published rules, the score never calls this honest host `safe`. */
  readonly isCautionByRule?: boolean
  /** Flags that are expected on an honest host. */
  readonly knownFlags?: readonly string[]
  /** Days on which an honest host was truly down. */
  readonly downtime?: readonly { readonly fromDay: number; readonly toDay: number }[]
  readonly faults: readonly Fault[]
  readonly forbidden?: readonly Forbidden[]
  /** Day on which a host under an open incident tries to shake it off: by a path, a name, an opt-out or a new host. */
  readonly escapesOnDay?: number
  /** Day from which the sanctions oracle lists the receiver. */
  readonly sanctionedFromDay?: number
  readonly purchases?: readonly ScriptedPurchase[]
  readonly funding?: readonly Funding[]
}

/** Chain history of a receiver. Unlisted receivers have a few payments. */
export type ChainHistory = 'established' | 'dormant' | 'few' | 'none'
