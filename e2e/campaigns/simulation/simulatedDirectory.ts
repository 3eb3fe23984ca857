import type { Clock, Directory, ListedRow } from '@touchstone402/server/parts'
import { atomicToUsd } from '@touchstone402/shared'
import { phaseAt } from './phases.ts'
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
    async *pages() {
      const listed = hosts.filter(({ claim }) => claim.directory === name)
      yield { skipped: {}, rows: listed.flatMap((host) => toRows(host, clock.now(), start)) }
    },
  }
}

function toRows(host: Host, now: number, start: number): ListedRow[] {
  const { claim } = host
  const refreshedAt = claim.isRefreshed ? now - ((now - start) % REFRESH_MS) : start
  const claimedOf = claim.price === 'follows' ? refreshedAt : start
  const phase = phaseAt(host, (claimedOf - start) / DAY)
  const entry = highestTier(phase.entries)
  const amounts = phase.amounts
  const amountAtomic =
    amounts === undefined || claim.price === 'stays'
      ? entry?.amountAtomic
      : 'day' in amounts
        ? (claimedOf - start) % DAY < DAY / 2
          ? amounts.day
          : amounts.night
        : amounts.anyOf[Math.floor(claimedOf / REFRESH_MS) % amounts.anyOf.length]
  const isOwn = claim.directory === 'bazaar'
  const takesInput = host.onlyPost !== true && phase.reply !== 'input_needed'
  return (host.paths ?? ['/api']).map((path) => ({
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
      priceUsd: amountAtomic === undefined ? null : atomicToUsd(BigInt(amountAtomic)),
      healthy: isOwn ? null : true,
      calls: claim.calls,
    },
    claimedAt: isOwn ? refreshedAt : null,
    ownClaim: isOwn,
  }))
}

/** Returns the highest of the entries that differ from the first in their amount only. Directories list it as the price. */
function highestTier([first, ...others]: readonly Entry[]): Entry | undefined {
  if (first === undefined) return undefined
  return others
    .filter(({ network, asset, payTo, scheme }) =>
      [
        network === first.network,
        asset === first.asset,
        payTo === first.payTo,
        scheme === first.scheme,
      ].every(Boolean),
    )
    .reduce((best, entry) => (BigInt(entry.amountAtomic) > BigInt(best.amountAtomic) ? entry : best), first)
}
