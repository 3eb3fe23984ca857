import type { ListedRow } from '@touchstone402/server/testing'

import type { Phase, Reply, SellerRequest, Wire } from './phase.ts'

export type { Entry, Phase, Region, Reply, SellerRequest, SellerResponse, Wire, Written } from './phase.ts'

/** A fault of a host for a period, and the verdict that it requires. */
export type Fault = {
  readonly fromDay: number
  readonly toDay: number
  /** First day on which it is visible; `seen`: when a probe was first shown it. @default fromDay */
  readonly visibleFromDay?: number | 'seen'
  /** The mildest sufficient verdict. */
  readonly verdict: 'caution' | 'avoid'
  /** Flags of which at least one must be raised. Empty if the status shows the fault. */
  readonly flags: readonly string[]
  /** The path that it concerns. @default all */
  readonly path?: string
  /** Days after the detection in which the host may not be safe. Probes may not show the fault for a while. @default all */
  readonly heldDays?: number
}

/** Terms in a period: those of a receiver, on a network, above an amount, or all of them. */
export type TermsOf = {
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
  /** Status of the paid response. @default not recorded */
  readonly httpStatus?: number
  /** Whether the host itself declares the input that was sent. */
  readonly hasInput?: true
}

/** An on-chain payment from one receiver to another. */
export type Funding = {
  readonly atDay: number
  readonly from: string
  readonly to: string
  /** @default 1000000 */
  readonly amountAtomic?: string
}

/** Live checks that a seller buys of its own endpoint on a day. */
export type BoughtChecks = { readonly atDay: number; readonly count: number }

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
  /** Paths of an honest host that belong to a bad tenant, or to a test network. */
  readonly foulPaths?: readonly string[]
  /** Whether the verdict on the host, by all of its endpoints, is Safe at the end. */
  readonly isSafeAsAWhole?: true
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
  /** Terms that no verdict may vouch for. */
  readonly forbidden?: readonly TermsOf[]
  /** Terms by which buyers lose their money. @default those of the host's thief */
  readonly theft?: readonly TermsOf[]
  /** Day on which a host under an open incident tries to shake it off: by a path, a name, an opt-out or a new host. */
  readonly escapesOnDay?: number
  /** Day from which the sanctions oracle lists the receiver. */
  readonly sanctionedFromDay?: number
  readonly purchases?: readonly ScriptedPurchase[]
  readonly boughtChecks?: BoughtChecks
  readonly funding?: readonly Funding[]
}

/** Chain history of a receiver. Unlisted receivers have a few payments. */
export type ChainHistory = 'established' | 'dormant' | 'few' | 'none'
