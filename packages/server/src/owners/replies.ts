import { hash } from 'node:crypto'
import { digestOf } from '@touchstone402/shared/leaves'
import type { Context } from '../context.ts'
import type { Time } from '../facts/facts.ts'
import { DAY, toDate } from '../facts/times.ts'
import { ProblemError } from '../lib/problemError.ts'
import { type NewSalt, replyLeaf } from '../publish/leaves.ts'
import { readDocument } from '../store/documents.ts'
import type { Store } from '../store/store.ts'
import type { ClaimMethod, HostClaim } from './hostClaim.ts'
import { readClaims } from './hostClaims.ts'
import { listDocuments } from './listDocuments.ts'

/** Subject of a reply: an endpoint, an incident, or the host if both are null. */
export type ReplySubject = Readonly<Record<'endpoint' | 'incident', string | null>> & {
  readonly host: string
}

/** A reply of the owner of a host, as it is stored. */
export type Reply = ReplySubject & {
  /** `HOST/…`, one of each subject. */
  readonly id: string
  /** One clean line; null once it was taken down. */
  readonly text: string | null
  readonly at: Time
  /** Token of the host claim that it was sent under. */
  readonly token: string
  /** Commitment in the log: `sha256` of the salt, a line feed and the text, in base64. */
  readonly commitment: { readonly salt: string; readonly sha256: string }
  readonly takenDown: { readonly at: Time; readonly reason: string } | null
}

/** A reply as the profile shows it: the owner's text, or that the operator took it down. */
export type ShownReply = ReplySubject &
  Pick<Reply, 'id' | 'at'> &
  (
    | {
        readonly text: string
        /** How the host is claimed, and when that was last found. */
        readonly verified: { readonly method: ClaimMethod; readonly at: Time }
        readonly takenDown: null
      }
    | { readonly text: null; readonly takenDown: NonNullable<Reply['takenDown']> }
  )

const KIND = 'reply'
const MAX_OF_HOST = 50
const KEPT_MS = 730 * DAY
/** For this long a reply that was taken down is said to be, and no other one of its subject is taken. */
const TAKEN_DOWN_MS = 90 * DAY

type Reading = Pick<Context, 'store' | 'clock'>
type Writing = Reading & Pick<Context, 'ids'>

/**
 * Stores a reply in place of the one of its subject, and logs its commitment. It is shown at once, on the profile alone, for
 * as long as the claim that it was sent under holds.
 * @throws ProblemError 409 if the operator took down the one of its subject, or the host has too many
 */
export async function sendReply(
  ctx: Writing,
  subject: ReplySubject,
  text: string,
  { token }: Pick<HostClaim, 'token'>,
): Promise<Reply> {
  const { store, clock, ids } = ctx
  const [id, at] = [idOf(subject), clock.now()]
  const all = await listAll(ctx, `${subject.host}/`)
  refuseTakenDown(all.find((one) => one.id === id))
  // Those of a former owner are shown no more.
  if (all.filter((one) => one.id !== id && one.token === token).length >= MAX_OF_HOST)
    throw new ProblemError(
      409,
      'too_many_replies',
      `${subject.host} has ${MAX_OF_HOST} replies; remove one first.`,
    )
  const salt = ids.newSalt()
  const commitment = { salt, sha256: digestOf(`${salt}\n${text}`) }
  const reply: Reply = { ...subject, id, text, at, token, commitment, takenDown: null }
  await write(store, reply, at)
  await store.write('addLeaves', [leafOf(reply, 'posted', at, ids.newSalt)])
  return reply
}

/** Removes the reply of a subject. Returns its id; undefined if there is none that its owner can remove. */
export async function withdrawReply(
  { store, clock, ids }: Writing,
  subject: ReplySubject,
): Promise<string | undefined> {
  const reply = await read(store, idOf(subject), clock.now())
  if (reply === undefined || reply.takenDown !== null) return undefined
  await store.write('removeDocument', KIND, reply.id)
  await store.write('addLeaves', [leafOf(reply, 'withdrawn', clock.now(), ids.newSalt)])
  return reply.id
}

/** Returns what is shown of the replies of a host, oldest first. */
export async function readReplies(ctx: Reading, host: string): Promise<ShownReply[]> {
  const all = await listAll(ctx, `${host}/`)
  if (all.length === 0) return []
  const held = await readClaims(ctx, host)
  return all.flatMap((reply) => show(reply, held))
}

/** Returns all replies with a text for the operator, oldest first. */
export async function listReplies(ctx: Reading): Promise<Reply[]> {
  return (await listAll(ctx, '')).filter(({ takenDown }) => takenDown === null)
}

/**
 * Takes a reply down for the operator: its text is deleted, and the reason shown instead. Returns undefined if none has the
 * id.
 */
export async function takeDownReply(
  { store, clock, ids }: Writing,
  id: string,
  reason: string,
): Promise<Reply | undefined> {
  const reply = await read(store, id, clock.now())
  if (reply === undefined) return undefined
  const takenDown = { ...reply, text: null, takenDown: { at: clock.now(), reason } }
  await write(store, takenDown, clock.now())
  await store.write('addLeaves', [leafOf(reply, 'taken_down', clock.now(), ids.newSalt)])
  return takenDown
}

/** Returns the id that all replies about a subject share. */
const idOf = ({ host, endpoint, incident }: ReplySubject) =>
  `${host}/${hash('sha256', endpoint ?? incident ?? '', 'base64url').slice(0, 12)}`

const leafOf = (
  { commitment, ...reply }: Reply,
  status: Parameters<typeof replyLeaf>[1],
  at: Time,
  newSalt: NewSalt,
) => replyLeaf({ ...reply, text: commitment.sha256 }, status, at, newSalt)

/** A claim that lapsed and was proven again is another one: what was said before it stays gone. */
function show(reply: Reply, held: readonly HostClaim[]): ShownReply[] {
  const { token, commitment: _, text, takenDown, ...shown } = reply
  if (takenDown !== null) return [{ ...shown, text: null, takenDown }]
  const own = held.filter((claim) => claim.token === token && claim.since <= reply.at)
  const claim = own.find(({ method }) => method === 'dns') ?? own[0]
  if (claim === undefined || text === null) return []
  return [{ ...shown, text, takenDown, verified: { method: claim.method, at: claim.heldAt } }]
}

function refuseTakenDown(reply: Reply | undefined): void {
  if (reply === undefined || reply.takenDown === null) return
  const { at, reason } = reply.takenDown
  const detail = `The operator took down the reply about this on ${toDate(at)}: ${reason} Another one is taken from ${toDate(at + TAKEN_DOWN_MS)}.`
  throw new ProblemError(409, 'reply_taken_down', detail)
}

const read = async (store: Store, id: string, now: Time) =>
  (await readDocument(store, KIND, id, now))?.data as Reply | undefined

function write(store: Store, reply: Reply, now: Time): Promise<void> {
  const { at, takenDown } = reply
  const expiresAt = takenDown === null ? at + KEPT_MS : takenDown.at + TAKEN_DOWN_MS
  return store.write('putDocument', { kind: KIND, id: reply.id, expiresAt, data: reply }, now)
}

async function listAll({ store, clock }: Reading, prefix: string): Promise<Reply[]> {
  const found = await listDocuments<Reply>(store, KIND, prefix, clock.now())
  return found.sort((a, b) => a.at - b.at)
}
