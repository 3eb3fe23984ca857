import type { AskHandler } from '../decide/ask.ts'
import type { Policy } from '../decide/policyTypes.ts'
import type { Count, EventListener } from '../events.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Hex, VerdictState } from '../types.ts'
import type { Intents } from './intents.ts'

/** Asks the service for verdicts and keeps them. */
export type VerdictClient = {
  /** The verdict of an endpoint by its canonical URL; never rejects. */
  get(endpoint: string): Promise<VerdictState>
  /** Checks an answer that was had in another way, such as a paid live check, and keeps it. */
  accept(endpoint: string, answer: unknown): Promise<VerdictState>
}

/** Checks a signature that no plain key made, such as one of a contract wallet (ERC-1271, ERC-6492). */
export type SignatureVerifier = (request: {
  /** CAIP-2. */
  network: string
  from: string
  digest: Hex
  signature: string
}) => Promise<boolean>

/** What the parts of one guard share. */
export type GuardContext = {
  policy: Policy
  verdicts: VerdictClient
  ledger: Ledger
  intents: Intents
  ask: AskHandler | null
  askTimeoutMs: number
  liveCheck: ((endpoint: string) => Promise<VerdictState>) | null
  verifySignature: SignatureVerifier | null
  emit: EventListener
  count: Count
  /** Releases reservations of intents that nobody used. */
  closeExpired: () => Promise<void>
  /** Milliseconds since 1970. */
  now: () => number
}
