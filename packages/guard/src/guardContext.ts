import type { AskHandler } from './ask.ts'
import type { Count } from './counters.ts'
import type { EventListener } from './events.ts'
import type { Intents } from './intents.ts'
import type { Ledger } from './ledger.ts'
import type { Policy } from './policyTypes.ts'
import type { Hex, VerdictState } from './types.ts'
import type { VerdictClient } from './verdictClient.ts'

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
