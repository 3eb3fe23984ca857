import { randomBytes } from 'node:crypto'
import type { Time } from '../facts/facts.ts'
import { DAY } from '../facts/times.ts'
import type { Clock } from '../lib/clock.ts'
import { incidentLeaf, type NewSalt } from '../publish/leaves.ts'
import { readDocument } from '../store/documents.ts'
import { readIncident } from '../store/feeds.ts'
import type { Store } from '../store/store.ts'
import { listDocuments } from './listDocuments.ts'

/** How the operator decided a dispute. */
export type DisputeDecision = 'answered' | 'upheld' | 'rejected'

/** An objection by the owner of a claimed host, as it is stored. Its texts are one clean line each. */
export type Dispute = {
  /** `HOST/…`. */
  readonly id: string
  readonly host: string
  /** The endpoint that it is about; null for an incident. */
  readonly endpoint: string | null
  /** Id of the incident that it is about; null for an endpoint. */
  readonly incident: string | null
  readonly text: string
  readonly at: Time
  /** By when an answer was promised as it was opened. */
  readonly promisedBy: Time
  readonly state: 'open' | DisputeDecision
  /** Answer of the operator, or the reason of a rejection; null while it is open. */
  readonly answer: string | null
  /** Time of the last decision; null while it is open. */
  readonly decidedAt: Time | null
}

/** Public part of a dispute. */
export type PublicDispute = Omit<Dispute, 'text'> & {
  /** Null until it is answered or upheld, since it may name people. */
  readonly text: string | null
}

/** Fields of a new dispute. */
type NewDispute = Pick<Dispute, 'host' | 'endpoint' | 'incident' | 'text'>

/** Disputes of measurements. They change no verdict. Their states are public at once, their texts once they are answered. */
export type Disputes = ReturnType<typeof createDisputes>

/** Operations on disputes for the operator. */
export type DisputeDesk = ReturnType<typeof createDisputeDesk>

/** Maximum number of characters of a dispute and of an answer. */
export const MAX_DISPUTE_CHARACTERS = 1000

const KIND = 'dispute'
const MAX_OPEN = 5
/** Kept since it was opened or decided. */
const KEPT_MS = 730 * DAY

type DisputesDeps = {
  readonly documents: Store
  readonly clock: Pick<Clock, 'now'>
  readonly store: Store
  readonly newSalt: NewSalt
  /** Returns an id of at least 64 random bits, without a slash. */
  readonly newId: () => string
  /** Days within which the operator promises an answer. */
  readonly promiseDays: number
}

/** Returns a dispute's id of 72 random bits. */
export const newDisputeId = () => randomBytes(9).toString('base64url')

/** Creates the disputes that pages take and show. */
export function createDisputes({ documents, clock, store, newSalt, newId, promiseDays }: DisputesDeps) {
  const listOf = (host: string) => listDisputes(documents, `${host}/`, clock.now())
  return {
    promiseDays,
    /** Stores a dispute; of an incident, adds a log entry. Returns undefined if too many of the host are open. */
    async open(fields: NewDispute): Promise<Dispute | undefined> {
      if ((await listOf(fields.host)).filter(isOpen).length >= MAX_OPEN) return undefined
      const [id, at] = [`${fields.host}/${newId()}`, clock.now()]
      const promisedBy = at + promiseDays * DAY
      const dispute: Dispute = {
        ...fields,
        id,
        at,
        promisedBy,
        state: 'open',
        answer: null,
        decidedAt: null,
      }
      await write(documents, dispute, at)
      const incident = dispute.incident === null ? undefined : await readIncident(store, dispute.incident)
      // Without the text: it may name people, and a leaf is for ever. Once, however often it is disputed.
      if (incident !== undefined) {
        const leaf = incidentLeaf({ ...incident, status: 'disputed' }, at, newSalt)
        await store.write('addLeaves', [{ ...leaf, once: true }])
      }
      return dispute
    },
    /** Lists the disputes of a host, oldest first. */
    of: async (host: string): Promise<PublicDispute[]> => (await listOf(host)).map(withoutPrivate),
    /** Counts open disputes whose answer was promised by now. */
    countOverdue: async (): Promise<number> =>
      (await listDisputes(documents, '', clock.now())).filter((dispute) => isOverdue(dispute, clock.now()))
        .length,
  }
}

const isOpen = ({ state }: Pick<Dispute, 'state'>) => state === 'open'

/** Whether a dispute is open after its answer was promised. */
export const isOverdue = (dispute: Pick<Dispute, 'state' | 'promisedBy'>, now: Time) =>
  isOpen(dispute) && dispute.promisedBy < now

const withoutPrivate = (dispute: Dispute): PublicDispute => {
  const isShown = dispute.state === 'answered' || dispute.state === 'upheld'
  return { ...dispute, text: isShown ? dispute.text : null }
}

type DeskDeps = Pick<DisputesDeps, 'documents' | 'clock'>

/** Creates the operator's side of disputes. */
export function createDisputeDesk({ documents, clock }: DeskDeps) {
  return {
    /** Lists all open disputes, oldest first. */
    open: async () => (await listDisputes(documents, '', clock.now())).filter(isOpen),
    /** Decides a dispute; a later decision replaces it. Returns undefined if none has the id. */
    async decide(id: string, state: DisputeDecision, answer: string): Promise<Dispute | undefined> {
      const dispute = (await readDocument(documents, KIND, id, clock.now()))?.data as Dispute | undefined
      if (dispute === undefined) return undefined
      const decided = { ...dispute, state, answer, decidedAt: clock.now() }
      await write(documents, decided, clock.now())
      return decided
    },
  }
}

function write(documents: Store, dispute: Dispute, now: Time): Promise<void> {
  const expiresAt = (dispute.decidedAt ?? dispute.at) + KEPT_MS
  return documents.write('putDocument', { kind: KIND, id: dispute.id, expiresAt, data: dispute }, now)
}

async function listDisputes(documents: Store, prefix: string, now: Time): Promise<Dispute[]> {
  const found = await listDocuments<Dispute>(documents, KIND, prefix, now)
  return found.sort((a, b) => a.at - b.at)
}
