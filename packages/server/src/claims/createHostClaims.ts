import { DAY, HOUR } from '../domain/facts/times.ts'
import { repeat } from '../lib/repeat.ts'
import type { Clock } from '../ports/clock.ts'
import type { ExpiringStore } from '../ports/expiring.ts'
import { type CheckDeps, checkPublished, checkReceiver, checkSigned, claimFileUrl } from './checkClaim.ts'
import { CLAIM_METHODS, claimToken } from './claimTexts.ts'
import type { ClaimFault, ClaimRequest, HostClaim } from './hostClaim.ts'

export type HostClaimsDeps = CheckDeps & {
  readonly documents: ExpiringStore
  readonly clock: Pick<Clock, 'now'>
}

/** Outcome of a claim. */
export type Claimed =
  | { readonly ok: true; readonly claim: HostClaim }
  | { readonly ok: false; readonly fault: ClaimFault }

/** Claims of hosts by whoever runs them. They are shown on pages, and change no verdict and no receiver. */
export type HostClaims = {
  /** URL of the file that a claimed host serves. */
  fileUrl(host: string): string
  /** Checks and stores a claim; one of the same host and method is replaced. */
  claim(request: ClaimRequest): Promise<Claimed>
  /** Claims of a host that hold, oldest first. */
  of(host: string): Promise<readonly HostClaim[]>
  /** Returns the claim of a host that a secret belongs to. */
  heldBy(host: string, secret: string): Promise<HostClaim | undefined>
  /** Checks all claims whose last check was a day ago. Returns how many it checked, and how many lapsed. */
  checkDue(signal: AbortSignal): Promise<{ readonly checked: number; readonly lapsed: number }>
}

const KIND = 'claim'
/** A claim lapses at the third daily check in a row that fails. */
const MAX_FAILURES = 3
/** Above the limits of the reader. */
const CHECK_MS = 8_000
/** Checks at a time. */
const AT_ONCE = 4
/** A claim that nobody could check for this long lapses too. */
const KEPT_MS = 30 * DAY

/** Creates the claims of hosts. */
export function createHostClaims(deps: HostClaimsDeps): HostClaims {
  const { documents, clock, publicUrl } = deps
  const idOf = ({ host, method }: Pick<HostClaim, 'host' | 'method'>) => `${host}/${method}`
  const read = async (id: string) =>
    (await documents.get(KIND, id, clock.now()))?.data as HostClaim | undefined
  const write = (claim: HostClaim) => {
    const expiresAt = claim.failures < MAX_FAILURES ? claim.heldAt + KEPT_MS : claim.checkedAt
    return documents.put({ kind: KIND, id: idOf(claim), expiresAt, data: claim }, clock.now())
  }
  const of = async (host: string) => {
    const claims = await Promise.all(CLAIM_METHODS.map((method) => read(idOf({ host, method }))))
    return claims.flatMap((claim) => claim ?? []).sort((a, b) => a.since - b.since)
  }

  const check = async (claim: HostClaim, signal: AbortSignal): Promise<'held' | 'failed' | 'lapsed'> => {
    const { method, host, address, token } = claim
    const fault =
      method === 'signature'
        ? await checkReceiver(deps, host, address ?? '')
        : await checkPublished(deps, { host, method, token }, signal)
    const checkedAt = clock.now()
    // It may have been replaced meanwhile.
    if ((await read(idOf(claim)))?.token !== token) return 'held'
    if (fault === undefined) {
      await write({ ...claim, checkedAt, heldAt: checkedAt, failures: 0 })
      return 'held'
    }
    const failures = claim.failures + (fault.isOurs === true ? 0 : 1)
    await write({ ...claim, checkedAt, failures })
    return failures < MAX_FAILURES ? 'failed' : 'lapsed'
  }

  return {
    fileUrl: (host) => claimFileUrl(deps, host),
    async claim(request) {
      const { host, method, secret, address } = request
      const token = claimToken(publicUrl, host, secret)
      const fault =
        method === 'signature'
          ? await checkSigned(deps, request, token, clock.now())
          : await checkPublished(deps, { host, method, token }, AbortSignal.timeout(CHECK_MS))
      if (fault !== undefined) return { ok: false, fault }
      const now = clock.now()
      const before = await read(idOf(request))
      const claim: HostClaim = {
        ...{ host, method, token, checkedAt: now, heldAt: now, failures: 0 },
        address: method === 'signature' ? address.toLowerCase() : null,
        since: before?.token === token ? before.since : now,
      }
      await write(claim)
      return { ok: true, claim }
    },
    of,
    async heldBy(host, secret) {
      const token = claimToken(publicUrl, host, secret)
      return (await of(host)).find((claim) => claim.token === token)
    },
    async checkDue(signal) {
      const due: HostClaim[] = []
      for await (const { data } of documents.list(KIND, '', clock.now())) {
        const claim = data as HostClaim
        if (clock.now() - claim.checkedAt >= DAY) due.push(claim)
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

type WatchDeps = {
  readonly clock: Clock
  /** Called with the number of claims that a check found lapsed. */
  readonly onLapsed: (count: number) => void
  readonly onError: (error: unknown) => void
}

/** Checks each claim once a day until the signal fires. */
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
