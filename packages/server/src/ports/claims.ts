/** Identifies an authorization on chain, which can be settled once. Letter case makes no difference. */
export type ClaimKey = {
  /** CAIP-2. */
  readonly network: string
  readonly asset: string
  readonly from: string
  readonly nonce: string
}

/**
 * State of a claimed payment.
 *
 * - `claimed`: this call alone may settle it. → settling, refused, released
 * - `settling`: the facilitator is asked to settle it. → reported, settled, unknown, refused, released
 * - `reported`: settled according to the facilitator. → settled, missing
 * - `settled`: seen on chain and delivered; final.
 * - `unknown`: the facilitator's answer leaves open whether it moved. → settled, owed, released
 * - `refused`: not delivered, and the facilitator was asked to settle it: it may still do so. → claimed, owed, released
 * - `owed`: settled on chain, and not delivered. → settled
 * - `missing`: reported, and not on chain in time. → settled
 * - `released`: never sent to be settled, or no longer usable according to the chain. → claimed
 */
export type ClaimState =
  | 'claimed'
  | 'settling'
  | 'reported'
  | 'settled'
  | 'unknown'
  | 'refused'
  | 'owed'
  | 'missing'
  | 'released'

/** A payment to be claimed. */
export type WantedClaim = ClaimKey & {
  /** Method and canonical URL with its query: the only thing the payment buys. */
  readonly binding: string
  readonly payTo: string
  readonly amountAtomic: string
  /** Expiry of the authorization, Unix time in seconds. */
  readonly validBefore: number
  /** Unix time in ms. */
  readonly claimedAt: number
  /** Origin of the facilitator that is asked to settle; unknown for claims of early versions. */
  readonly facilitator?: string | undefined
}

/** A payment and how far it got. */
export type Claim = WantedClaim & {
  readonly state: ClaimState
  /** Unix time in ms. */
  readonly updatedAt: number
  /** Unix time in ms at which the facilitator was first asked to settle it; null if it never was. */
  readonly sentAt: number | null
  /** The settlement transaction, once known. */
  readonly txHash: string | null
  /** The delivered answer, replayed for an identical request. */
  readonly answer: StoredAnswer | null
}

/** A claim without its answer, which may be large. */
export type OpenClaim = Omit<Claim, 'answer'>

/** An answer kept for replay, at most 24 hours. */
export type StoredAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The body as text, or null if it is a snapshot, which is too large to keep. */
  readonly body: string | null
  /** Id of the snapshot. */
  readonly snapshot?: string
}

/** Result of an attempt to claim, with the claim that stands now. */
export type ClaimOutcome = { readonly won: boolean; readonly claim: Claim }

/** Fields that change with the state of a claim; omitted ones stay as they were. */
export type ClaimChange = {
  /** Unix time in ms. */
  readonly at: number
  readonly txHash?: string | null
  readonly answer?: StoredAnswer | null
}

/** Durable, atomic claims on payments: of several equal attempts exactly one wins. */
export type ClaimStore = {
  /** Claims a payment. Wins if no claim exists for its key, or the existing one was released or refused. */
  claim(wanted: WantedClaim): Promise<ClaimOutcome>
  /**
   * Changes the state of a claim. Resolves once the change is durable.
   * @throws ClaimStateError if there is no such claim, or its state does not lead there
   */
  advance(key: ClaimKey, to: Exclude<ClaimState, 'claimed'>, change: ClaimChange): Promise<Claim>
  get(key: ClaimKey): Promise<Claim | undefined>
  /** Claims that the chain may still decide: in any state but settled, owed and released. */
  unsettled(): Promise<readonly OpenClaim[]>
  /** Claims of a payer that are owed, or may become so: unknown and refused ones. Owed ones and the latest first, at most 20. */
  undelivered(payer: Omit<ClaimKey, 'nonce'>): Promise<readonly OpenClaim[]>
  /**
   * Drops some released claims, the oldest first, whose payments expired before a Unix time in ms: those cannot be claimed
   * again. Nothing that settled or still may is dropped. Returns their number, at most 1000.
   */
  dropExpired(before: number): Promise<number>
  /** Returns the number of claims by state, without settled and released ones; a state without any may be left out. */
  countUnsettled(): Promise<Readonly<Partial<Record<ClaimState, number>>>>
}
