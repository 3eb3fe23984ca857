import type { HostDocument } from '../domain/facts/hostDocument.ts'

/** How many hosts name each receiver now. */
export type ReceiverCounts = {
  /** Counts a host by its document, in place of the one before. */
  set(document: HostDocument, before: HostDocument | undefined): void
  /** Null where no host names it. */
  hostsOf(network: string, address: string): number | null
}

/** Makes empty counts. They are kept up with each document, since answers ask for them one by one. */
export function createReceiverCounts(): ReceiverCounts {
  const counts = new Map<string, number>()
  const add = (key: string, change: 1 | -1) => {
    const count = (counts.get(key) ?? 0) + change
    if (count === 0) counts.delete(key)
    else counts.set(key, count)
  }
  return {
    set(document, before) {
      for (const key of receiversOf(document)) add(key, 1)
      if (before !== undefined) for (const key of receiversOf(before)) add(key, -1)
    },
    hostsOf: (network, address) => counts.get(keyOf(network, address)) ?? null,
  }
}

const keyOf = (network: string, address: string) => `${network} ${address}`.toLowerCase()

/** Each receiver once, however many endpoints name it. */
function receiversOf({ endpoints }: HostDocument): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const { network, payTo } of endpoints)
    if (network !== null && payTo !== null) keys.add(keyOf(network, payTo))
  return keys
}
