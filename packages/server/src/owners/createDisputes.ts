import { randomBytes } from 'node:crypto'
import type { Time } from '../facts/facts.ts'
import { DAY } from '../facts/times.ts'
import type { Clock } from '../ports/clock.ts'
import type { ExpiringStore } from '../ports/expiring.ts'
import type { Store } from '../ports/store.ts'
import { incidentLeaf, type NewSalt } from '../publish/leaves.ts'

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
  readonly state: 'waiting' | 'published' | 'rejected'
  /** Answer of the service; null before it is published. */
  readonly answer: string | null
  /** When it was published or rejected; null before. */
  readonly decidedAt: Time | null
}

/** Fields of a new dispute. */
type NewDispute = Pick<Dispute, 'host' | 'endpoint' | 'incident' | 'text'>

/** Disputes of measurements. They change no verdict, and are private until the operator publishes them. */
export type Disputes = ReturnType<typeof createDisputes>

/** Operations on disputes for the operator. */
export type DisputeDesk = ReturnType<typeof createDisputeDesk>

/** Maximum number of characters of a dispute and of an answer. */
export const MAX_DISPUTE_CHARACTERS = 1000

const KIND = 'dispute'
const MAX_WAITING = 5
const KEPT_MS: Readonly<Record<Dispute['state'], number>> = {
  waiting: 180 * DAY,
  published: 730 * DAY,
  rejected: 30 * DAY,
}

type DisputesDeps = {
  readonly documents: ExpiringStore
  readonly clock: Pick<Clock, 'now'>
  /** Returns an id of at least 64 random bits, without a slash. */
  readonly newId: () => string
}

/** Returns a dispute's id of 72 random bits. */
export const newDisputeId = () => randomBytes(9).toString('base64url')

/** Creates the disputes that pages take and show. */
export function createDisputes({ documents, clock, newId }: DisputesDeps) {
  const of = (host: string) => listDisputes(documents, `${host}/`, clock.now())
  return {
    /** Stores a dispute for the operator. Returns undefined if too many of the host wait. */
    async open(fields: NewDispute): Promise<Dispute | undefined> {
      const waiting = (await of(fields.host)).filter(isWaiting)
      if (waiting.length >= MAX_WAITING) return undefined
      const undecided = { state: 'waiting', answer: null, decidedAt: null } as const
      const dispute = { ...fields, ...undecided, id: `${fields.host}/${newId()}`, at: clock.now() }
      await write(documents, dispute, clock.now())
      return dispute
    },
    /** Lists the published disputes of a host, oldest first. */
    published: async (host: string) => (await of(host)).filter(({ state }) => state === 'published'),
  }
}

const isWaiting = ({ state }: Dispute) => state === 'waiting'

type DeskDeps = Pick<DisputesDeps, 'documents' | 'clock'> & {
  readonly store: Pick<Store, 'incident' | 'log'>
  readonly newSalt: NewSalt
}

/** Creates the operator's side of disputes. */
export function createDisputeDesk({ documents, clock, store, newSalt }: DeskDeps) {
  const find = async (id: string) => (await documents.get(KIND, id, clock.now()))?.data as Dispute | undefined
  const decide = async (dispute: Dispute, state: 'published' | 'rejected', answer: string | null) => {
    const decided = { ...dispute, state, answer, decidedAt: clock.now() }
    await write(documents, decided, clock.now())
    return decided
  }
  return {
    /** Lists all disputes that wait, oldest first. */
    waiting: async () => (await listDisputes(documents, '', clock.now())).filter(isWaiting),
    /** Publishes a dispute with an answer; for an incident, adds a log entry. Returns undefined if none has the id. */
    async publish(id: string, answer: string): Promise<Dispute | undefined> {
      const dispute = await find(id)
      if (dispute === undefined) return undefined
      const incident = dispute.incident === null ? undefined : await store.incident(dispute.incident)
      // Without the text: it may name people, and a leaf is for ever. Once, however often it is answered.
      if (incident !== undefined) {
        const leaf = incidentLeaf({ ...incident, status: 'disputed' }, clock.now(), newSalt)
        await store.log.add([{ ...leaf, once: true }])
      }
      return decide(dispute, 'published', answer)
    },
    /** Takes a dispute off the list, and off the pages. Returns undefined if none has the id. */
    async reject(id: string): Promise<Dispute | undefined> {
      const dispute = await find(id)
      return dispute && decide(dispute, 'rejected', null)
    },
  }
}

function write(documents: ExpiringStore, dispute: Dispute, now: Time): Promise<void> {
  const expiresAt = (dispute.decidedAt ?? dispute.at) + KEPT_MS[dispute.state]
  return documents.put({ kind: KIND, id: dispute.id, expiresAt, data: dispute }, now)
}

async function listDisputes(documents: ExpiringStore, prefix: string, now: Time): Promise<Dispute[]> {
  const found: Dispute[] = []
  for await (const { data } of documents.list(KIND, prefix, now)) found.push(data as Dispute)
  return found.sort((a, b) => a.at - b.at)
}
