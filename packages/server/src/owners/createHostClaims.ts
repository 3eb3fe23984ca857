import { timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { DAY, HOUR } from '../facts/times.ts'
import type { Clock } from '../lib/clock.ts'
import { isDevelopmentHost } from '../lib/isDevelopmentHost.ts'
import { repeat } from '../lib/repeat.ts'
import { readDocument, readDocuments } from '../store/documents.ts'
import type { Store } from '../store/store.ts'
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
type ClaimReader = {
  /** Reads the lines of a small text file; follows no redirect. */
  file(url: string, signal: AbortSignal): Promise<Published>
  /** Reads the TXT records of a name. */
  txt(name: string, signal: AbortSignal): Promise<Published>
}

export type HostClaimsDeps = {
  readonly documents: Store
  readonly clock: Pick<Clock, 'now'>
  readonly reader: ClaimReader
  /** Public origin of the service. */
  readonly publicUrl: string
  /** `host:port` pairs or hosts that are read over plain HTTP; for development only. */
  readonly developmentHosts: readonly string[]
  /** Called when a claim lapsed, or another claimant replaced it. */
  readonly onEnded: (claim: HostClaim) => Promise<void>
}

/** Host claims. They are shown on pages; one by DNS may confirm a change of receiver that came after it. */
export type HostClaims = ReturnType<typeof createHostClaims>

const KIND = 'claim'
/** A host claim lapses at the third daily check in a row that fails. */
const MAX_FAILURES = 3
/** Above the limits of the reader. */
const CHECK_MS = 8_000
/** Checks at a time. */
const AT_ONCE = 4
/** A host claim that could not be checked for this long lapses too. */
const KEPT_MS = 30 * DAY

/** Creates the host claims. */
export function createHostClaims(deps: HostClaimsDeps) {
  const { documents, clock, publicUrl } = deps
  const idOf = ({ host, method }: Pick<HostClaim, 'host' | 'method'>) => `${host}/${method}`
  const read = async (id: string) =>
    (await readDocument(documents, KIND, id, clock.now()))?.data as HostClaim | undefined
  const write = (claim: HostClaim) => {
    const expiresAt = claim.failures < MAX_FAILURES ? claim.heldAt + KEPT_MS : claim.checkedAt
    return documents.write(
      'putDocument',
      { kind: KIND, id: idOf(claim), expiresAt, data: claim },
      clock.now(),
    )
  }
  const of = async (host: string) => {
    const claims = await Promise.all(CLAIM_METHODS.map((method) => read(idOf({ host, method }))))
    return claims.flatMap((claim) => claim ?? []).sort((a, b) => a.since - b.since)
  }

  const check = async (claim: HostClaim, signal: AbortSignal): Promise<'held' | 'failed' | 'lapsed'> => {
    const { token } = claim
    const fault = await checkPublished(deps, claim, signal)
    const checkedAt = clock.now()
    // It may have been replaced meanwhile.
    if ((await read(idOf(claim)))?.token !== token) return 'held'
    if (fault === undefined) {
      await write({ ...claim, checkedAt, heldAt: checkedAt, failures: 0 })
      return 'held'
    }
    const failures = claim.failures + (fault.isOurs === true ? 0 : 1)
    await write({ ...claim, checkedAt, failures })
    if (failures < MAX_FAILURES) return 'failed'
    await deps.onEnded(claim)
    return 'lapsed'
  }

  return {
    /** Returns the URL of the file that a claimed host serves. */
    fileUrl: (host: string) => claimFileUrl(deps, host),
    /** Checks and stores a host claim; one of the same host and method is replaced. */
    async claim({ host, method, secret }: ClaimRequest): Promise<HostClaim | { fault: ClaimFault }> {
      const token = claimToken(publicUrl, host, secret)
      const fault = await checkPublished(deps, { host, method, token }, AbortSignal.timeout(CHECK_MS))
      if (fault !== undefined) return { fault }
      const now = clock.now()
      const before = await read(idOf({ host, method }))
      const since = before?.token === token ? before.since : now
      const claim = { host, method, token, since, checkedAt: now, heldAt: now, failures: 0 }
      await write(claim)
      if (before !== undefined && before.token !== token) await deps.onEnded(before)
      return claim
    },
    /** Lists the current claims of a host, oldest first. */
    of,
    /** Returns the host claim that a secret proves. */
    async heldBy(host: string, secret: string): Promise<HostClaim | undefined> {
      const token = Buffer.from(claimToken(publicUrl, host, secret))
      return (await of(host)).find((claim) => isEqual(Buffer.from(claim.token), token))
    },
    /** Checks all host claims whose last check was a day ago. Returns how many it checked, and how many lapsed. */
    async checkDue(signal: AbortSignal): Promise<{ readonly checked: number; readonly lapsed: number }> {
      const due: HostClaim[] = []
      for await (const { data } of readDocuments(documents, KIND, '', clock.now())) {
        const claim = data as HostClaim
        // Earlier versions stored host claims by signature.
        if (CLAIM_METHODS.includes(claim.method) && clock.now() - claim.checkedAt >= DAY) due.push(claim)
      }
      let [checked, lapsed] = [0, 0]
      const work = async () => {
        for (let claim = due.pop(); claim !== undefined && !signal.aborted; claim = due.pop()) {
          const outcome = await check(claim, signal)
          checked += 1
          if (outcome === 'lapsed') lapsed += 1
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, work))
      return { checked, lapsed }
    },
  }
}

const isEqual = (one: Buffer, other: Buffer) => one.length === other.length && timingSafeEqual(one, other)

/** Returns the URL of the file that a claimed host serves: HTTPS, except in development. */
export function claimFileUrl(
  { developmentHosts }: Pick<HostClaimsDeps, 'developmentHosts'>,
  host: string,
): string {
  return `${isDevelopmentHost(host, developmentHosts) ? 'http' : 'https'}://${host}${CLAIM_FILE}`
}

/** Checks that a host publishes a token in its file or TXT record. Returns the error, if any. */
async function checkPublished(
  deps: Pick<HostClaimsDeps, 'reader' | 'developmentHosts'>,
  { host, method, token }: Pick<HostClaim, 'host' | 'method' | 'token'>,
  signal: AbortSignal,
): Promise<ClaimFault | undefined> {
  const isFile = method === 'file'
  if (!isFile && isIP(hostnameOf(host).replace(/^\[|\]$/g, '')) !== 0) {
    return { code: 'no_name', message: 'an address has no TXT record; use a file' }
  }
  const place = isFile ? claimFileUrl(deps, host) : claimName(host)
  const published = await (isFile ? deps.reader.file(place, signal) : deps.reader.txt(place, signal))
  if (!published.ok) return { ...published, message: `${place} ${published.message}` }
  if (published.texts.includes(token)) return undefined
  return published.texts.some((text) => text.startsWith(TOKEN_PREFIX))
    ? { code: 'other_token', message: `${place} holds another token: expected ${token}` }
    : { code: 'no_token', message: `${place} has no ${isFile ? 'line' : 'TXT record'} that is ${token}` }
}

type WatchDeps = {
  readonly clock: Clock
  /** Called with the number of host claims that lapsed in a check. */
  readonly onLapsed: (count: number) => void
  readonly onError: (error: unknown) => void
}

/** Checks each host claim once a day until the signal fires. */
export async function watchClaims(
  claims: Pick<HostClaims, 'checkDue'>,
  { clock, onLapsed, onError }: WatchDeps,
  signal: AbortSignal,
): Promise<void> {
  const check = async () => {
    const { lapsed } = await claims.checkDue(signal)
    if (lapsed > 0) onLapsed(lapsed)
  }
  await repeat(
    clock,
    () => check().catch(onError),
    () => HOUR,
    signal,
  )
}
