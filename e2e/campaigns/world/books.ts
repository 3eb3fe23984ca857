import { AsyncLocalStorage } from 'node:async_hooks'
import type { Process } from './process/seams.ts'

/** The owner's own program, or the name of the task behind a token. */
export type Seat = string
export const OWNER: Seat = 'owner'

/** A call of an agent, as it was asked for. */
export type CallRecord = {
  readonly number: number
  readonly seat: Seat
  readonly process: Process
  readonly host: string
  /** URL without its query. */
  readonly endpoint: string
  /** Method, URL and body: equal for equal calls of a seat. */
  readonly identity: string
  readonly startedAt: number
  /** Signatures that left while it was under way, by their nonces. */
  readonly left: Set<string>
  /** How its exchanges with the network go, in their order. */
  readonly fates: Fate[]
  /** Whether it ended, or its process did. */
  isOver: boolean
  outcome: Outcome | null
}

/** Faults of the network in one exchange. */
export type Fate = {
  readonly loses: 'nothing' | 'request' | 'response' | 'restOfBody'
  readonly delayMs: number
  readonly isDuplicated: boolean
}

/** How a call ended for its agent. */
export type Outcome = {
  readonly status: number | null
  readonly code: string | null
  /** Whether its report says that nothing was signed. */
  readonly saysNothingSigned: boolean
  /** Nonce of the payment that a delivered answer names; null without one. */
  readonly paidBy: string | null
}

/** A signature that the wallet made, and what became of it. */
export type SignatureRecord = {
  readonly nonce: string
  readonly to: string
  readonly usdMicros: bigint
  /** Unix time in seconds. */
  readonly validBefore: number
  readonly seat: Seat
  readonly process: Process
  readonly madeAt: number
  /** Number of signatures before it. */
  readonly index: number
  /** True time in ms at which somebody outside had it first; null before. */
  leftAt: number | null
  /** The call that carried it first; null before. */
  carrier: CallRecord | null
  /** Whether a seller has begun an answer to it, and whether its call has one. */
  hasHead: boolean
  isAnswered: boolean
  /** Statuses with which sellers have answered it; 0 for none. */
  readonly statuses: number[]
}

/** The true record of a world, which the ledger of the guard is compared with. */
export type Books = ReturnType<typeof createBooks>

// One for all worlds: Node carries every storage along with every promise.
const context = new AsyncLocalStorage<CallRecord>()

/** Creates empty books. */
export function createBooks(now: () => number) {
  const calls: CallRecord[] = []
  const signatures = new Map<string, SignatureRecord>()
  return {
    now,
    calls,
    signatures,
    /** Identities of the calls whose approved terms an agent was shown. */
    shown: new Set<string>(),
    /** The call under way. */
    context,
    /** Number of signatures that no longer count, since the owner took their ledger away. */
    forgotten: 0,
    begin(call: Omit<CallRecord, 'number' | 'startedAt' | 'left' | 'isOver' | 'outcome'>): CallRecord {
      const record = {
        ...call,
        number: calls.length,
        startedAt: now(),
        left: new Set<string>(),
        isOver: false,
        outcome: null,
      }
      calls.push(record)
      return record
    },
    sign(
      made: Pick<SignatureRecord, 'nonce' | 'to' | 'usdMicros' | 'validBefore' | 'seat' | 'process'>,
    ): void {
      const facts = {
        leftAt: null,
        carrier: null,
        hasHead: false,
        isAnswered: false,
        statuses: [],
      }
      signatures.set(made.nonce, { ...made, ...facts, madeAt: now(), index: signatures.size })
    },
    /** Notes that somebody outside has a signature, and with which call it left, if with any. */
    leave(nonce: string, call: CallRecord | null, isCarried: boolean): SignatureRecord | undefined {
      const signature = signatures.get(nonce)
      if (signature === undefined) return undefined
      signature.leftAt ??= now()
      if (isCarried) signature.carrier ??= call
      call?.left.add(nonce)
      return signature
    },
    /** Signatures that are out, and count. */
    out(): SignatureRecord[] {
      return [...signatures.values()].filter(
        ({ leftAt, index }) => leftAt !== null && index >= this.forgotten,
      )
    },
  }
}
