import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Category } from '@touchstone402/crash-test'
import type { PolicyInput, ReasonCode } from '@touchstone402/guard'
import type { SignedDecision } from '@touchstone402/shared'
import type { ServiceFault } from '../../support/signingService.ts'
import type { ClientName } from '../../support/stockClients.ts'

/** An entry of a challenge. Omitted fields are honest, and `network` is CAIP-2 unless `rawNetwork` is set. */
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

/** A request as a seller sees it. */
export type Call = {
  request: IncomingMessage
  /** The path with its query. */
  path: string
  origin: string
  /** Origin of the thief's second server. */
  elsewhere: string
  /** Number of challenges sent before this request. */
  challenges: number
  /** Number of payments received, including this one. */
  payments: number
}

/** Behavior of a seller. Omitted parts are honest. Without `terms` its challenge has one entry, of its own fields. */
export type Seller = Terms & {
  terms?: readonly Terms[] | ((call: Call) => readonly Terms[])
  /** Entries of the v1 body, where they differ from those of the v2 header. */
  v1Terms?: readonly Terms[]
  resource?: (call: Call) => string
  /** Challenges of other protocols, as the `WWW-Authenticate` header has them. @default none */
  authenticate?: (call: Call) => string
  /** Fields of the challenge besides its terms. */
  document?: Record<string, unknown>
  /** Changes the serialised JSON of a challenge. */
  write?: (json: string) => string
  /** Handles a request first. Returns false to continue normally. */
  before?: (call: Call, response: ServerResponse) => boolean
  /** Handles a request with a payment. */
  onPaid?: (call: Call, response: ServerResponse) => unknown
}

/** Form of an x402 challenge: header, body, both, or none. */
export type Wire = 'v1' | 'v2' | 'both' | 'none'

/** One way to run a scenario. */
export type Lane = {
  client: ClientName | 'mppx'
  wire: Wire
  integration: AttackedIntegration
}

/** The integrations of the guard that every attack meets. */
export type AttackedIntegration = 'fetch' | 'hooks' | 'account'

type Codes = ReasonCode | readonly ReasonCode[] | null

/** A call of a seller under a verdict and a policy. */
export type Situation = Seller & {
  /** One sentence about what the seller, or someone between, does. */
  name: string
  /** Verdict on the listed endpoint. Null is none. @default safe, with the honest terms */
  verdict?: Partial<SignedDecision> | null
  /** Whether the guard has no service. @default false */
  alone?: boolean
  policy?: PolicyInput
  /** Returns the URL of a call. `count` starts at 0. @default `${origin}/weather` */
  url?: (call: { origin: string; port: number; count: number }) => string
  init?: RequestInit | ((count: number) => RequestInit)
  /** Budget of the task that the calls belong to, in dollars. @default none */
  taskUsd?: string
  /** @default 1 */
  calls?: number
  /** Whether the calls are concurrent. @default false */
  atOnce?: boolean
  service?: ServiceFault
  /** Makes the service fail after the first call. */
  failsLater?: ServiceFault
  /** Cache lifetime of verdicts. @default that of the guard */
  cacheSeconds?: number
  /** Approves payments that need approval. */
  ask?: () => Promise<boolean>
  /** Clients and forms of the challenge. @default every stock client that reads v1 or v2 alone */
  lanes?: readonly Omit<Lane, 'integration'>[]
  /** Integrations besides `fetch`, where the situation applies to them. @default both */
  integrations?: readonly ('hooks' | 'account')[]
}

/** One attack. */
export type Scenario = Situation & {
  category: Category
  /** Number of payments on exactly the honest terms that the policy allows. @default 0 */
  approved?: number
  /** Code of the last refusal. Null if no call must be refused. */
  code: Codes
  /** Codes in integrations that see other parts of the call. @default `code` */
  integrationCodes?: Partial<Record<AttackedIntegration, Codes>>
  /** Why no stock client loses money, if none does. */
  notDrainable?: string
}

/** An honest seller that must be paid. */
export type Control = Situation & {
  /** Atomic USDC of each payment. @default 10000 */
  price?: bigint
  /** Number of payments; calls before the last may then fail. @default one for each call, which all succeed */
  payments?: number
}

/** Returns what creates attacks of a category from a name, the code of the last refusal, and what is not honest. */
export const attack =
  (category: Category) =>
  (name: string, code: Codes, rest: Omit<Scenario, 'category' | 'name' | 'code'> = {}): Scenario => ({
    category,
    name,
    code,
    ...rest,
  })

/** The policy allows so many payments on the honest terms, of so many calls. */
export const approves = (approved: number, calls: number) => ({ approved, calls })

/** Codes of a retry in integrations that cannot send a payment again. */
export const PENDING = { account: 'PAYMENT_PENDING' } as const

/** Returns the URL of a call. */
export type UrlOf = NonNullable<Situation['url']>

/** Another query makes another call: an equal one would be a retry, which is not paid again. */
export const eachNew: UrlOf = ({ origin, count }) => `${origin}/weather?call=${count}`

/** Returns what is called at a path of the seller. */
export const at =
  (path: string): UrlOf =>
  ({ origin }) =>
    origin + path

/** Returns what is called at a host with the seller's port. */
export const atHost =
  (host: string, path = '/weather'): UrlOf =>
  ({ port }) =>
    `http://${host}:${port}${path}`

/** Every client that reads v1. */
export const V1 = [
  { client: '@x402/fetch', wire: 'v1' },
  { client: 'x402-fetch', wire: 'v1' },
] as const

/** The newer client alone. */
export const V2 = [{ client: '@x402/fetch', wire: 'v2' }] as const

/** Every client, with both forms of the challenge. */
export const BOTH = [
  { client: '@x402/fetch', wire: 'both' },
  { client: 'x402-fetch', wire: 'both' },
] as const

/** Prints a fault and counts it. */
export type Report = (fault: string) => void
