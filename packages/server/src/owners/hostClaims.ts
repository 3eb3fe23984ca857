import { timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { Config } from '../config/config.ts'
import type { Context } from '../context.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { isDevelopmentHost } from '../lib/isDevelopmentHost.ts'
import { logFailure } from '../lib/logFailure.ts'
import { repeat } from '../lib/repeat.ts'
import { readDocument, readDocuments } from '../store/documents.ts'
import { endConfirmations } from './confirmations.ts'
import {
  CLAIM_FILE,
  CLAIM_METHODS,
  type ClaimFault,
  type ClaimRequest,
  claimName,
  claimToken,
  type HostClaim,
  hostnameOf,
  TOKEN_PREFIX,
} from './hostClaim.ts'

/** The texts that a host publishes at one place, or why they could not be read; the message completes "PLACE …". */
type Published =
  | { readonly ok: true; readonly texts: readonly string[] }
  | ({ readonly ok: false } & ClaimFault)

/** Reads what hosts publish to be claimed, under the address guard. Never rejects. */
export type ClaimReader = {
  /** Reads the lines of a small text file; follows no redirect. */
  file(url: string, signal: AbortSignal): Promise<Published>
  /** Reads the TXT records of a name. */
  txt(name: string, signal: AbortSignal): Promise<Published>
}

const KIND = 'claim'
/** A host claim lapses at the third daily check in a row that fails. */
const MAX_FAILURES = 3
/** Above the limits of the reader. */
const CHECK_MS = 8_000
/** Checks at a time. */
const AT_ONCE = 4
/** A host claim that could not be checked for this long lapses too. */
const KEPT_MS = 30 * DAY

type Reading = Pick<Context, 'store' | 'clock'>
type Checking = Reading & Pick<Context, 'config'>

/**
 * Checks and stores a host claim; one of the same host and method is replaced. Claims are shown on pages; one by DNS may
 * confirm a change of receiver that came after it.
 */
export async function claimHost(
  ctx: Checking,
  reader: ClaimReader,
  { host, method, secret }: ClaimRequest,
): Promise<HostClaim | { fault: ClaimFault }> {
  const { store, clock, config } = ctx
  const token = claimToken(config.publicUrl, host, secret)
  const signal = AbortSignal.timeout(CHECK_MS)
  const fault = await checkPublished(config, reader, { host, method, token }, signal)
  if (fault !== undefined) return { fault }
  const now = clock.now()
  const before = await read(ctx, idOf({ host, method }))
  const since = before?.token === token ? before.since : now
  const claim = { host, method, token, since, checkedAt: now, heldAt: now, failures: 0 }
  await write(ctx, claim)
  if (before !== undefined && before.token !== token) await endConfirmations(store, before, clock.now())
  return claim
}

/** Returns the current claims of a host, oldest first. */
export async function readClaims(ctx: Reading, host: string): Promise<HostClaim[]> {
  const claims = await Promise.all(CLAIM_METHODS.map((method) => read(ctx, idOf({ host, method }))))
  return claims.flatMap((claim) => claim ?? []).sort((a, b) => a.since - b.since)
}

/** Returns the host claim that a secret proves. */
export async function findClaim(ctx: Checking, host: string, secret: string): Promise<HostClaim | undefined> {
  const token = Buffer.from(claimToken(ctx.config.publicUrl, host, secret))
  return (await readClaims(ctx, host)).find((claim) => isEqual(Buffer.from(claim.token), token))
}

/** Checks all host claims whose last check was a day ago. Returns how many it checked, and how many lapsed. */
export async function checkDueClaims(
  ctx: Checking,
  reader: ClaimReader,
  signal: AbortSignal,
): Promise<{ readonly checked: number; readonly lapsed: number }> {
  const { store, clock } = ctx
  const due: HostClaim[] = []
  for await (const { data } of readDocuments(store, KIND, '', clock.now())) {
    const claim = data as HostClaim
    // Earlier versions stored host claims by signature.
    if (CLAIM_METHODS.includes(claim.method) && clock.now() - claim.checkedAt >= DAY) due.push(claim)
  }
  let [checked, lapsed] = [0, 0]
  const work = async () => {
    for (let claim = due.pop(); claim !== undefined && !signal.aborted; claim = due.pop()) {
      const outcome = await checkClaim(ctx, reader, claim, signal)
      checked += 1
      if (outcome === 'lapsed') lapsed += 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { checked, lapsed }
}

/** Checks each host claim once a day until the signal fires. */
export async function watchClaims(
  ctx: Checking & Pick<Context, 'log'>,
  reader: ClaimReader,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = ctx
  const check = async () => {
    const { lapsed: count } = await checkDueClaims(ctx, reader, signal)
    if (count > 0) log('info', `${count} host claims lapsed`, { event: 'host_claims_lapsed', count })
  }
  await repeat(
    clock,
    () => check().catch((error: unknown) => logFailure(log, 'claims', error)),
    () => HOUR,
    signal,
  )
}

async function checkClaim(
  ctx: Checking,
  reader: ClaimReader,
  claim: HostClaim,
  signal: AbortSignal,
): Promise<'held' | 'failed' | 'lapsed'> {
  const { store, clock, config } = ctx
  const fault = await checkPublished(config, reader, claim, signal)
  const checkedAt = clock.now()
  // It may have been replaced meanwhile.
  if ((await read(ctx, idOf(claim)))?.token !== claim.token) return 'held'
  if (fault === undefined) {
    await write(ctx, { ...claim, checkedAt, heldAt: checkedAt, failures: 0 })
    return 'held'
  }
  const failures = claim.failures + (fault.isOurs === true ? 0 : 1)
  await write(ctx, { ...claim, checkedAt, failures })
  if (failures < MAX_FAILURES) return 'failed'
  await endConfirmations(store, claim, clock.now())
  return 'lapsed'
}

const idOf = ({ host, method }: Pick<HostClaim, 'host' | 'method'>) => `${host}/${method}`

const read = async ({ store, clock }: Reading, id: string) =>
  (await readDocument(store, KIND, id, clock.now()))?.data as HostClaim | undefined

function write({ store, clock }: Reading, claim: HostClaim): Promise<void> {
  const expiresAt = claim.failures < MAX_FAILURES ? claim.heldAt + KEPT_MS : claim.checkedAt
  return store.write('putDocument', { kind: KIND, id: idOf(claim), expiresAt, data: claim }, clock.now())
}

const isEqual = (one: Buffer, other: Buffer) => one.length === other.length && timingSafeEqual(one, other)

/** Returns the URL of the file that a claimed host serves: HTTPS, except in development. */
export function claimFileUrl(
  { developmentAllowHosts }: Pick<Config, 'developmentAllowHosts'>,
  host: string,
): string {
  return `${isDevelopmentHost(host, developmentAllowHosts) ? 'http' : 'https'}://${host}${CLAIM_FILE}`
}

/** Checks that a host publishes a token in its file or TXT record. Returns the error, if any. */
async function checkPublished(
  config: Pick<Config, 'developmentAllowHosts'>,
  reader: ClaimReader,
  { host, method, token }: Pick<HostClaim, 'host' | 'method' | 'token'>,
  signal: AbortSignal,
): Promise<ClaimFault | undefined> {
  const isFile = method === 'file'
  if (!isFile && isIP(hostnameOf(host).replace(/^\[|\]$/g, '')) !== 0) {
    return { code: 'no_name', message: 'an address has no TXT record; use a file' }
  }
  const place = isFile ? claimFileUrl(config, host) : claimName(host)
  const published = await (isFile ? reader.file(place, signal) : reader.txt(place, signal))
  if (!published.ok) return { ...published, message: `${place} ${published.message}` }
  if (published.texts.includes(token)) return undefined
  return published.texts.some((text) => text.startsWith(TOKEN_PREFIX))
    ? { code: 'other_token', message: `${place} holds another token: expected ${token}` }
    : { code: 'no_token', message: `${place} has no ${isFile ? 'line' : 'TXT record'} that is ${token}` }
}
