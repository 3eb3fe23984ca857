import { networkAddressKey } from '@touchstone402/shared'
import type { HostDocument } from '../domain/facts/hostDocument.ts'

/** Number of hosts that currently name each receiver. */
export type ReceiverCounts = {
  /** Counts a host by its document, replacing the previous one. */
  set(document: HostDocument, before: HostDocument | undefined): void
  /** Returns null if no host names the receiver. */
  hostsOf(network: string, address: string): number | null
}

/** Creates empty counts. */
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
    hostsOf: (network, address) => counts.get(networkAddressKey(network, address)) ?? null,
  }
}

/** Returns the receivers that any endpoint of a host names. */
function receiversOf({ endpoints }: HostDocument): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const { network, payTo } of endpoints)
    if (network !== null && payTo !== null) keys.add(networkAddressKey(network, payTo))
  return keys
}
