import type { ListedRow } from '@touchstone402/server/testing'

/** An entry of `accepts` of a simulated host. */
export type Entry = {
  /** CAIP-2. v1 challenges carry the network's v1 name. */
  readonly network: string
  readonly asset: string
  readonly payTo: string
  readonly amountAtomic: string
  /** @default exact */
  readonly scheme?: string
  /** Added to the domain of the asset. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** Where a seller states its challenge: in the body (v1), the header (v2), or both. */
export type Wire = 'v1' | 'v2' | 'both'

/** Response of a host to a request for the listed path. */
export type Reply =
  | 'challenge'
  | 'blocked'
  | 'input_needed'
  | 'refused'
  | 'error'
  | 'page'
  | 'malformed'
  | 'not_found'
  | 'gone'
  | 'method_not_allowed'
  /** A 402 of the hosting provider, without a challenge. */
  | 'provider_402'
  /** The resource itself, without a payment. */
  | 'free'
  /** Refusals of bot filters: SiteGround's captcha (202), ModSecurity (406), and 451. */
  | 'captcha'
  | 'not_acceptable'
  | 'legal'

/** A request as a seller sees it. */
export type SellerRequest = {
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Region that the request comes from. */
  readonly region: Region
  /** Milliseconds since the start. */
  readonly since: number
}

/** The probes leave from a home region, and for some hours from another one. */
export type Region = 'home' | 'away'

/** Behavior of a host from a moment on. */
export type Phase = {
  /** Days since the start. */
  readonly fromDay: number
  readonly reply: Reply
  readonly entries: readonly Entry[]
  /** Listed paths from now on. @default those of the host */
  readonly paths?: readonly string[]
  /** Entries of single paths, where they differ. */
  readonly byPath?: Readonly<Record<string, readonly Entry[]>>
  /** Entries of the v1 body, if they differ from those of the v2 header. */
  readonly bodyEntries?: readonly Entry[]
  /** Different terms for some requests. */
  readonly shown?: { readonly to: (request: SellerRequest) => boolean; readonly entries: readonly Entry[] }
  /** Each request shows a new receiver, or a random one from a pool. */
  readonly receivers?: 'per_request' | { readonly pool: readonly string[] }
  /** Each request asks a random one of these amounts, one by day and another by night, or rarely another one. */
  readonly amounts?:
    | { readonly anyOf: readonly string[] }
    | { readonly day: string; readonly night: string }
    | { readonly usually: string; readonly rarely: string; readonly probability: number }
  /** Number of calls a day that are answered without a payment. */
  readonly freeCalls?: number
  /** Signs every offer by the offer-receipt extension, with the account of the host. */
  readonly signsOffers?: boolean
  /** Asks for the same payment by `WWW-Authenticate: Payment` (MPP) too. */
  readonly asksByMpp?: boolean
  /** Requests fail at random, or periodically for some minutes. */
  readonly faults?:
    | { readonly rate: number }
    | { readonly downMinutes: number; readonly everyMinutes: number }
  /** Responds 402 on every path. */
  readonly isCatchAll?: boolean
  /** `resource` of the challenge. @default the requested URL */
  readonly resource?: string
  /** Redirects the listed path to this one. */
  readonly movedTo?: string
  /** Content of `/.well-known/x402`. */
  readonly wellKnown?: string
  /** Content of `/openapi.json`. */
  readonly openApi?: string
}

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

/** A listing of a host that somebody else wrote: what differs from a right one. */
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
