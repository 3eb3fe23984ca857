import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PolicyInput, ReasonCode } from '@touchstone402/guard'
import type { SignedDecision } from '@touchstone402/shared'
import type { ServiceFault } from '../../support/signingService.ts'
import type { ClientName } from '../../support/stockClients.ts'

/** One entry of a challenge as a seller writes it; what is left out is honest, `network` is CAIP-2 unless `rawNetwork` is set. */
export type Terms = {
  payTo?: unknown
  amount?: unknown
  network?: string
  rawNetwork?: unknown
  asset?: unknown
  scheme?: unknown
  maxTimeoutSeconds?: unknown
  extra?: unknown
}

/** One request as a seller sees it. */
export type Call = {
  request: IncomingMessage
  /** The path with its query. */
  path: string
  origin: string
  /** The origin of a second server, which belongs to the thief. */
  elsewhere: string
  /** Requests for payment that were made before this one. */
  challenges: number
  /** Payments that arrived, this one included. */
  payments: number
}

/** What a seller does; everything left out is honest. */
export type Seller = {
  terms?: Terms[] | ((call: Call) => Terms[])
  /** What the v1 body says where it differs from the v2 header. */
  v1Terms?: Terms[]
  resource?: (call: Call) => string
  /** Fields of the document besides the terms. */
  document?: Record<string, unknown>
  /** Changes the written JSON of a challenge. */
  write?: (json: string) => string
  /** Answers before anything else; false goes on. */
  before?: (call: Call, response: ServerResponse) => boolean
  /** Answers a call that carries a payment. */
  onPaid?: (call: Call, response: ServerResponse) => unknown
}

/** How a challenge is written: header alone, body alone, or both. */
export type Wire = 'v1' | 'v2' | 'both'

/** One way to run a scenario. */
export type Lane = { client: ClientName; wire: Wire }

/** One attack. */
export type Scenario = {
  /** The row of the guard's table that it belongs to. */
  row: string
  name: string
  seller: Seller
  /** What the service says about the listed endpoint; null is nothing. @default safe, at the honest terms */
  verdict?: Partial<SignedDecision> | null
  policy?: PolicyInput
  /** What is called, of the seller's origin; `count` is 0 at the first call. @default `${origin}/weather` */
  url?: (call: { origin: string; port: number; count: number }) => string
  init?: RequestInit
  /** @default 1 */
  calls?: number
  /** Whether the calls are made at once. @default false */
  atOnce?: boolean
  service?: ServiceFault
  /** Payments on exactly the honest terms that the policy allows before, or beside, what it must refuse. @default 0 */
  approved?: number
  /** Why the last call that was refused is refused; null where nothing has to be, only chosen well. */
  code: ReasonCode | readonly ReasonCode[] | null
  /** @default every stock client that reads v1 or v2 alone */
  lanes?: readonly Lane[]
  /** Why no stock client loses money by it, where none does. */
  notDrainable?: string
}

/** One honest seller that must be paid. */
export type Control = Pick<
  Scenario,
  'name' | 'seller' | 'verdict' | 'policy' | 'url' | 'init' | 'calls' | 'atOnce' | 'service' | 'lanes'
> & {
  /** Atomic USDC of each payment. @default 10000 */
  price?: bigint
  /** Makes the service fail after the first call. */
  failsLater?: ServiceFault
  /** Approves what is asked about. */
  ask?: () => Promise<boolean>
}
