/** An entry of a challenge. Omitted fields are those of the listing. */
export type Offer = {
  network?: string
  asset?: string
  payTo?: string
  amount?: string
  maxTimeoutSeconds?: number
  extra?: Record<string, unknown>
}

/** A request as a seller sees it. */
export type Call = {
  origin: string
  /** Origin of the seller's second server. */
  elsewhere: string
  /** Run of the command in this category, from 0. */
  run: number
  isPaid: boolean
  /** Channel of an MPP session that the credential names, and what it asks for. Null without one. */
  session: { action: unknown; channelId: string } | null
  /** The receiver of the listing. */
  listed: string
  /** The thief's receiver. */
  thief: string
}

/** How a seller answers a call. Exactly one of the functions is called. */
export type Reply = {
  /** Asks for payment: in the v2 header and in the v1 body. */
  challenge(offers: readonly Offer[], more?: ChallengeTexts): void
  /** Delivers the paid answer, with a receipt. */
  deliver(body?: string, receipt?: Record<string, unknown>): void
  /** Asks for an MPP session. */
  offerSession(terms: SessionTerms): void
  send(status: number, headers?: Record<string, string>, body?: string): void
}

/** Terms of an MPP session in atomic amounts of its token. */
export type SessionTerms = { amount: string; suggestedDeposit: string }

/** Parts of a challenge besides its terms. */
export type ChallengeTexts = {
  /** @default the URL of the call */
  resource?: string
  /** @default 'The weather of a city' */
  description?: string
  error?: string
  /** Receipt of the payment that this challenge answers. @default none */
  receipt?: Record<string, unknown>
  /** Terms that stand beside as a charge of another protocol, MPP. @default none */
  byMpp?: Offer
  /** Changes the serialised JSON. */
  write?: (json: string) => string
}

/** Behavior of a server. */
export type Behavior = (call: Call, reply: Reply) => void

/** A seller that the command is sent to, and its listing. */
export type Seller = {
  /**
   * URL listed beforehand: the called one with its price (`target`), the called one as free (`free`), or that of an
   * honest seller which the called one imitates (`other`).
   * @default 'target'
   */
  listing?: 'target' | 'free' | 'other'
  /** Token in which the seller is listed: USDC on Base, or on Tempo, where MPP has sessions. @default 'base' */
  token?: 'base' | 'tempo'
  /** Number of runs of the command, in sequence. @default 1 */
  runs?: number
  /** Processes of each run that are started at once. They share one home and one budget. @default 1 */
  replicas?: number
  /** Most payments on the listed terms that a careful client may sign. @default 1 */
  due?: number
  /** Maximum cost of all runs together in dollars, passed to the command. @default '1.00' */
  budgetUsd?: string
  /** Highest amount of one payment, where it may be more than the listed price: the deposit of a session. */
  mostAtomic?: string
  answer: Behavior
  /** Behavior of the second server. @default answers 404 */
  answerElsewhere?: Behavior
}
