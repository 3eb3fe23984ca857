import { randomBytes } from 'node:crypto'
import type { Context } from '../context.ts'
import type { Time } from '../facts/facts.ts'
import { DAY } from '../facts/times.ts'
import { incidentLeaf } from '../publish/leaves.ts'
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

/** Maximum number of characters of a dispute and of an answer. */
export const MAX_DISPUTE_CHARACTERS = 1000

const KIND = 'dispute'
const MAX_OPEN = 5
/** Kept since it was opened or decided. */
const KEPT_MS = 730 * DAY

type Reading = Pick<Context, 'store' | 'clock'>

/**
 * Stores a dispute, which changes no verdict; of an incident, adds a log entry. Its state is public at once, its text once it
 * is answered. Returns undefined if too many of the host are open.
 */
export async function openDispute(
  ctx: Reading & Pick<Context, 'config' | 'ids'>,
  fields: NewDispute,
): Promise<Dispute | undefined> {
  const { store, clock, config, ids } = ctx
  if ((await listDisputes(ctx, `${fields.host}/`)).filter(isOpen).length >= MAX_OPEN) return undefined
  const id = `${fields.host}/${randomBytes(9).toString('base64url')}`
  const at = clock.now()
  const dispute: Dispute = {
    ...fields,
    id,
    at,
    promisedBy: at + config.disputeDays * DAY,
    state: 'open',
    answer: null,
    decidedAt: null,
  }
  await write(store, dispute, at)
  const incident = dispute.incident === null ? undefined : await readIncident(store, dispute.incident)
  // Without the text: it may name people, and a leaf is for ever. Once, however often it is disputed.
  if (incident !== undefined) {
    const leaf = incidentLeaf({ ...incident, status: 'disputed' }, at, ids.newSalt)
    await store.write('addLeaves', [{ ...leaf, once: true }])
  }
  return dispute
}

/** Returns the disputes of a host as pages show them, oldest first. */
export async function readDisputes(ctx: Reading, host: string): Promise<PublicDispute[]> {
  return (await listDisputes(ctx, `${host}/`)).map(withoutPrivate)
}

/** Counts open disputes whose answer was promised by now. */
export async function countOverdue(ctx: Reading): Promise<number> {
  const all = await listDisputes(ctx, '')
  return all.filter((dispute) => isOverdue(dispute, ctx.clock.now())).length
}

/** Returns all open disputes for the operator, oldest first. */
export async function listOpenDisputes(ctx: Reading): Promise<Dispute[]> {
  return (await listDisputes(ctx, '')).filter(isOpen)
}

/** Decides a dispute for the operator; a later decision replaces it. Returns undefined if none has the id. */
export async function decideDispute(
  { store, clock }: Reading,
  id: string,
  state: DisputeDecision,
  answer: string,
): Promise<Dispute | undefined> {
  const dispute = (await readDocument(store, KIND, id, clock.now()))?.data as Dispute | undefined
  if (dispute === undefined) return undefined
  const decided = { ...dispute, state, answer, decidedAt: clock.now() }
  await write(store, decided, clock.now())
  return decided
}

const isOpen = ({ state }: Pick<Dispute, 'state'>) => state === 'open'

/** Whether a dispute is open after its answer was promised. */
export const isOverdue = (dispute: Pick<Dispute, 'state' | 'promisedBy'>, now: Time) =>
  isOpen(dispute) && dispute.promisedBy < now

const withoutPrivate = (dispute: Dispute): PublicDispute => {
  const isShown = dispute.state === 'answered' || dispute.state === 'upheld'
  return { ...dispute, text: isShown ? dispute.text : null }
}

function write(store: Store, dispute: Dispute, now: Time): Promise<void> {
  const expiresAt = (dispute.decidedAt ?? dispute.at) + KEPT_MS
  return store.write('putDocument', { kind: KIND, id: dispute.id, expiresAt, data: dispute }, now)
}

async function listDisputes({ store, clock }: Reading, prefix: string): Promise<Dispute[]> {
  const found = await listDocuments<Dispute>(store, KIND, prefix, clock.now())
  return found.sort((a, b) => a.at - b.at)
}
