/** An entry of `accepts` of a simulated host. */
export type Entry = {
  readonly network: string
  readonly asset: string
  readonly payTo: string
  readonly amountAtomic: string
  readonly scheme?: string
  readonly unsafeFlow?: string
}

/** Response of a host. */
export type Reply =
  | 'challenge'
  | 'blocked'
  | 'input_needed'
  | 'refused'
  | 'page'
  | 'malformed'
  | 'payto_malformed'

/** Behavior of a host from a moment on. */
export type Phase = {
  /** Days since the start. */
  readonly fromDay: number
  readonly reply: Reply
  readonly entries: readonly Entry[]
  /** Different terms for one client identity. */
  readonly shownTo?: { readonly client: string; readonly entries: readonly Entry[] }
  /** Each request shows a new receiver, or a random one from a pool. */
  readonly receivers?: 'per_request' | { readonly pool: readonly string[] }
  /** Each request asks a random one of these amounts, or one by day and another by night. */
  readonly amounts?: { readonly anyOf: readonly string[] } | { readonly day: string; readonly night: string }
  /** Requests fail at random, or periodically for some minutes. */
  readonly faults?:
    | { readonly rate: number }
    | { readonly downMinutes: number; readonly everyMinutes: number }
  /** Entries with the same network, asset and scheme have different receivers or amounts. */
  readonly disagrees?: boolean
  /** Content of `/.well-known/x402`. */
  readonly wellKnown?: string
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
}

/** Listing of a host in a directory. */
export type Claim = {
  readonly directory: 'bazaar' | '402index'
  readonly method: string | null
  /** Claimed price: follows the challenge or stays, and is refreshed every 6 h or never. */
  readonly price: 'follows' | 'stays'
  readonly isRefreshed: boolean
  readonly calls: number | null
}

/** Result of a test purchase at a host. */
export type ScriptedPurchase = { readonly atDay: number; readonly delivered: boolean }

/** An on-chain payment from one receiver to another. */
export type Funding = { readonly atDay: number; readonly from: string; readonly to: string }

/** A simulated host: its behavior over the simulated time, and its expected verdicts. */
export type Host = {
  readonly host: string
  readonly kind: string
  readonly isHonest: boolean
  readonly category: string
  /** Responds 402 on every path. */
  readonly isWildcard?: boolean
  readonly onlyPost?: boolean
  /** Does not declare its output. */
  readonly hidesOutput?: boolean
  /** Client identity that it refuses. */
  readonly refuses?: string
  readonly phases: readonly Phase[]
  readonly claim: Claim
  /** Flags that are expected on an honest host. */
  readonly knownFlags?: readonly string[]
  readonly faults: readonly Fault[]
  readonly purchases?: readonly ScriptedPurchase[]
  readonly funding?: readonly Funding[]
}

/** Chain history of a receiver. Unlisted receivers have a few payments. */
export type ChainHistory = 'established' | 'dormant' | 'few' | 'none'
