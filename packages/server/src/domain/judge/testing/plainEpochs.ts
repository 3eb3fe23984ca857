import type { Observation, Time } from '../../facts/facts.ts'
import { type ReceiverSets, receiverSets, receiversDiffer } from '../offers.ts'
import { LIMITS } from '../spec.ts'

/** A period in which an endpoint named the same receivers, with all its probes. */
export type PlainEpoch = {
  readonly from: Time
  /** Successful probes, oldest first; never empty. */
  readonly probes: readonly Observation[]
  /** The receivers that were named first at each key. */
  readonly receivers: ReceiverSets
}

/** All epochs, and the trailing probes with another receiver that is not confirmed yet. */
export type PlainEpochs = { readonly epochs: readonly PlainEpoch[]; readonly pending: readonly Observation[] }

type Open = {
  from: Time
  probes: Observation[]
  receivers: Map<string, readonly string[]>
  /** Sets already compared. */
  seen: Set<ReceiverSets>
}

/**
 * Splits successful probes by receiver.
 *
 * Probes are compared with the first receivers of the epoch, not with the previous probe: adding a receiver and dropping
 * the old one later is a change too. A new epoch needs twelve consecutive probes from at least two client identities,
 * since a seller that picks one of two receivers at random shows the same one twice in a row half of the time.
 * @param probes successful observations, oldest first
 */
export function splitEpochs(probes: readonly Observation[]): PlainEpochs {
  const epochs: Open[] = []
  let pending: Observation[] = []
  for (const probe of probes) {
    const sets = receiverSets(probe)
    const current = epochs.at(-1)
    if (current === undefined) {
      epochs.push(openEpoch([probe]))
    } else if (current.seen.has(sets) || !receiversDiffer([...current.receivers], sets)) {
      extend(current, probe, sets)
      pending = []
    } else {
      pending = pending.filter((earlier) => !receiversDiffer(receiverSets(earlier), sets))
      pending.push(probe)
      const clients = new Set(pending.map(({ client }) => client)).size
      if (clients >= 2 && pending.length >= LIMITS.swapLooks) {
        epochs.push(openEpoch(pending))
        pending = []
      }
    }
  }
  return {
    epochs: epochs.map(({ from, probes: own, receivers }) => ({
      from,
      probes: own,
      receivers: [...receivers],
    })),
    pending,
  }
}

function openEpoch(probes: readonly Observation[]): Open {
  const epoch: Open = { from: probes[0]?.at ?? 0, probes: [], receivers: new Map(), seen: new Set() }
  for (const probe of probes) extend(epoch, probe, receiverSets(probe))
  return epoch
}

function extend(epoch: Open, probe: Observation, sets: ReceiverSets): void {
  epoch.probes.push(probe)
  if (epoch.seen.has(sets)) return
  epoch.seen.add(sets)
  for (const [key, receivers] of sets) {
    if (!epoch.receivers.has(key)) epoch.receivers.set(key, receivers)
  }
}
