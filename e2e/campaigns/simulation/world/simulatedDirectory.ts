import type { Clock, Directory, ListedRow } from '@touchstone402/server/testing'
import { atomicToUsd, isCanonicalUsdc } from '@touchstone402/shared'
import { OWN } from '../parts.ts'
import { phaseAt } from './simulatedSeller.ts'
import type { Entry, Host } from './types.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Listings are refreshed every full six hours. */
const REFRESH_MS = 6 * HOUR

/** Creates a directory that lists its hosts. */
export function createSimulatedDirectory(
  name: 'bazaar' | '402index',
  hosts: readonly Host[],
  clock: Clock,
  start: number,
): Directory {
  return {
    name,
    // The hosts of a part may all be in the other directory.
    mayBeEmpty: true,
    async *pages() {
      const now = clock.now()
      const listed = hosts.filter(({ listedFromDay = 0 }) => start + listedFromDay * DAY <= now)
      const own = listed.filter(({ claim }) => claim.directory === name)
      const byRivals = name === 'bazaar' ? listed.filter(({ rival }) => rival !== undefined) : []
      const rows = [
        ...own.flatMap((host) => toRows(host, now, start)),
        ...byRivals.flatMap((host) => toRivalRows(host, now, start)),
      ]
      yield { skipped: {}, rows }
    },
  }
}

/** Returns what a rival listed in the Bazaar: a fresh listing that is right except for the rival's changes. */
function toRivalRows({ rival = {}, ...host }: Host, now: number, start: number): ListedRow[] {
  const { claims, ...changed } = rival
  return toRows({ ...host, claim: OWN }, now, start).map((row) => ({
    ...row,
    ...changed,
    claims: { ...row.claims, ...claims },
  }))
}

function toRows(host: Host, now: number, start: number): ListedRow[] {
  const { claim } = host
  const refreshedAt = claim.isRefreshed ? now - ((now - start) % REFRESH_MS) : start
  const claimedOf = claim.price === 'follows' ? refreshedAt : start
  const phase = phaseAt(host, (claimedOf - start) / DAY)
  const entry = listedEntry(phase.entries)
  const amounts = phase.amounts
  const amountAtomic =
    amounts === undefined || claim.price === 'stays'
      ? entry?.amountAtomic
      : 'usually' in amounts
        ? amounts.usually
        : 'day' in amounts
          ? (claimedOf - start) % DAY < DAY / 2
            ? amounts.day
            : amounts.night
          : amounts.anyOf[Math.floor(claimedOf / REFRESH_MS) % amounts.anyOf.length]
  const isOwn = claim.directory === 'bazaar'
  const takesInput = host.onlyPost !== true && phase.reply !== 'input_needed'
  return (phaseAt(host, (now - start) / DAY).paths ?? host.paths ?? ['/api']).map((path) => ({
    directory: claim.directory,
    endpoint: `https://${host.host}${path}`,
    host: host.host,
    url: `https://${host.host}${path}`,
    method: claim.method,
    body: null,
    declaresInput: host.declaresInput ?? takesInput,
    declaresOutput: isOwn && host.hidesOutput !== true,
    title: host.host,
    category: host.category,
    claims: {
      network: isOwn ? (entry?.network ?? null) : null,
      asset: isOwn ? (entry?.asset ?? null) : null,
      payTo: isOwn ? (entry?.payTo ?? null) : null,
      amountAtomic: isOwn ? (amountAtomic ?? null) : null,
      priceUsd:
        amountAtomic === undefined || entry === undefined
          ? null
          : atomicToUsd(entry.network, entry.asset, BigInt(amountAtomic)),
      healthy: isOwn ? null : true,
      calls: claim.calls,
    },
    claimedAt: isOwn ? refreshedAt : null,
    // An entry in a directory is never the seller's own claim.
    ownClaim: false,
  }))
}

/** Returns the entry that directories list: the first in USDC if there is one, at its highest tier. */
function listedEntry(entries: readonly Entry[]): Entry | undefined {
  const first = entries.find(isUsdc) ?? entries[0]
  return entries
    .filter(
      ({ network, asset, payTo, scheme }) =>
        network === first?.network &&
        asset === first.asset &&
        payTo === first.payTo &&
        scheme === first.scheme,
    )
    .toSorted((a, b) => Number(BigInt(b.amountAtomic) - BigInt(a.amountAtomic)))[0]
}

const isUsdc = ({ network, asset }: Entry) => isCanonicalUsdc(network, asset)
