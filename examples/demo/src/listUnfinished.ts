import type { Economy } from '@touchstone402/economy'
import { isAudited } from './isAudited.ts'

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
