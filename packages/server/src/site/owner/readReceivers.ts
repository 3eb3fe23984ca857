import { listReceiverChanges } from '../../owners/announcement.ts'
import { listFunding } from '../../publish/fundedPurchase.ts'
import { readHostFacts } from '../../store/facts.ts'
import { readHost } from '../../store/hosts.ts'
import type { PageDeps } from '../pageDeps.ts'

/**
 * Reads the receiver changes of a host with what its owner confirmed of them, payments that fund test purchases, and the
 * endpoints that the index holds; undefined if it does not hold the host.
 * @param planned new receiver of changes before its use. @default not known
 */
export async function readReceivers({ store, clock, config }: PageDeps, host: string, planned?: string) {
  const [document, { announcements }] = await Promise.all([readHost(store, host), readHostFacts(store, host)])
  const endpoints = document?.endpoints ?? []
  return {
    endpoints: document?.endpoints,
    changes: listReceiverChanges(endpoints, announcements, clock.now(), planned),
    confirmations: announcements.filter(
      ({ basis, expiresAt }) => basis === 'host_confirmed' && expiresAt === undefined,
    ),
    funding: listFunding(endpoints, config.payTo),
  }
}
