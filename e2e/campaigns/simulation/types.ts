/** One entry of `accepts`, as a simulated host states it. */
export type Entry = {
  readonly network: string
  readonly asset: string
  readonly payTo: string
  readonly amountAtomic: string
  readonly scheme?: string
  readonly unsafeFlow?: string
}

/** What a host answers with. */
export type Reply =
  | 'challenge'
  | 'blocked'
  | 'input_needed'
  | 'refused'
  | 'page'
  | 'malformed'
  | 'payto_malformed'

/** How a host behaves from a moment on. */
export type Phase = {
  /** Days since the start. */
  readonly fromDay: number
  readonly reply: Reply
  readonly entries: readonly Entry[]
  /** What one client identity is shown instead. */
  readonly shownTo?: { readonly client: string; readonly entries: readonly Entry[] }
  /** Each request names a receiver never named before, or one drawn from a pool. */
  readonly receivers?: 'per_request' | { readonly pool: readonly string[] }
  /** Each request asks one of these amounts, drawn by lot, or one by day and another by night. */
  readonly amounts?: { readonly anyOf: readonly string[] } | { readonly day: string; readonly night: string }
  /** Requests fail by chance, or for some minutes in every so many. */
  readonly faults?:
    | { readonly rate: number }
    | { readonly downMinutes: number; readonly everyMinutes: number }
  /** Entries of equal network, asset and scheme name different receivers or amounts. */
  readonly disagrees?: boolean
  /** What `/.well-known/x402` holds. */
  readonly wellKnown?: string
}

/** What is wrong with a host for a time, and what the service has to say of it meanwhile. */
export type Fault = {
  readonly fromDay: number
  readonly toDay: number
  /** When it can first be seen at all. @default fromDay */
  readonly visibleFromDay?: number
  /** The mildest verdict that catches it. */
  readonly verdict: 'caution' | 'avoid'
  /** Flags of which at least one is raised; none where the status says it. */
  readonly flags: readonly string[]
}

/** What a directory says of a host. */
export type Claim = {
  readonly directory: 'bazaar' | '402index'
  readonly method: string | null
  /** What the claimed price does: it follows the challenge, or stays; it is refreshed every 6 h, or never again. */
  readonly price: 'follows' | 'stays'
  readonly isRefreshed: boolean
  readonly calls: number | null
}

/** Payments that a host took, as a test purchase found out. */
export type ScriptedPurchase = { readonly atDay: number; readonly delivered: boolean }

/** A payment on chain from one receiver to another. */
export type Funding = { readonly atDay: number; readonly from: string; readonly to: string }

/** A simulated host: all that it does in the simulated time, and what is true of it. */
export type Host = {
  readonly host: string
  readonly kind: string
  readonly isHonest: boolean
  readonly category: string
  /** Answers 402 to any path. */
  readonly isWildcard?: boolean
  readonly onlyPost?: boolean
  /** Nowhere says what answer comes. */
  readonly hidesOutput?: boolean
  /** A client identity that is refused. */
  readonly refuses?: string
  readonly phases: readonly Phase[]
  readonly claim: Claim
  /** Flags that an honest host has to live with. */
  readonly knownFlags?: readonly string[]
  readonly faults: readonly Fault[]
  readonly purchases?: readonly ScriptedPurchase[]
  readonly funding?: readonly Funding[]
}

/** What the chain shows of a receiver; one that is not listed has a few receipts. */
export type ChainHistory = 'established' | 'dormant' | 'few' | 'none'
