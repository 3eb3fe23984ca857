import type { Economy, SellerSpec } from '@touchstone402/economy'
import type { App } from '@touchstone402/server'

/** Progress of a crawl, as the service reports it. */
export type Progress = Pick<ReturnType<App['crawl']>, 'due' | 'round' | 'discoveries' | 'directories'>

/** Returns whether a crawl has read every directory and has no endpoint left to probe. */
export function isIdle({ due, round, discoveries, directories }: Progress): boolean {
  return due === 0 && round === null && discoveries > 0 && directories.reading === 0
}

/**
 * Returns whether a published verdict can be that of a finished audit. A seller that the guard has to refuse must have
 * been found out: only then may agents shop.
 */
export function isAudited(
  { character, expected }: Pick<SellerSpec, 'character' | 'expected'>,
  verdict: string,
): boolean {
  // It asks not to be probed, so no audit of it ends.
  if (character === 'opted-out') return true
  if (verdict === 'unknown') return false
  // It is honest until the demonstration makes it change its receiver.
  if (character === 'swap-now') return true
  return expected.guard === 'pays' || verdict !== 'safe'
}

/** Asks the service for its verdicts. Returns the hosts of the sellers whose audits have not finished. */
export async function listUnfinished({ sellers }: Economy, serviceUrl: string): Promise<string[]> {
  const hosts: string[] = []
  for (const { host, url, spec } of Object.values(sellers)) {
    const answer = await fetch(`${serviceUrl}/verify?endpoint=${encodeURIComponent(url)}`)
    const { verdict } = (await answer.json()) as { verdict: string }
    if (!isAudited(spec, verdict)) hosts.push(host)
  }
  return hosts
}

/** Says in one sentence that audits have not finished, so that no agent may shop. */
export function describeBusy(hosts: readonly string[]): string {
  return `This machine is too busy for the demonstration: audits of ${hosts.join(', ')} have not finished, and no agent paid anyone; try again when it is at rest.`
}
