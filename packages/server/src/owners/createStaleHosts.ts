import type { Time } from '../domain/facts/facts.ts'
import { MINUTE } from '../domain/facts/times.ts'
import type { Webhook } from './webhook.ts'

/** Knows of which webhooks the feeds may have changed since they were read. */
export type StaleHosts = {
  /** Notes that a host has changed; null if any may have. */
  note(host: string | null): void
  /** Turns changed hosts into stale webhooks. */
  spread(webhooks: readonly Webhook[], now: Time): void
  has(id: string): boolean
  add(id: string): void
  /** Forgets that a webhook is stale. Returns whether it was. */
  take(id: string): boolean
}

/** All are read this often, in case a change was not noted. */
const SWEEP_MS = 10 * MINUTE

/** Creates it; at first all are stale. */
export function createStaleHosts(): StaleHosts {
  const changed = new Set<string>()
  const stale = new Set<string>()
  let sweepAt = Number.NEGATIVE_INFINITY
  return {
    note(host) {
      if (host === null) sweepAt = Number.NEGATIVE_INFINITY
      else changed.add(host)
    },
    spread(webhooks, now) {
      const isSweep = now >= sweepAt
      if (isSweep) sweepAt = now + SWEEP_MS
      for (const { id, host } of webhooks) if (isSweep || changed.has(host)) stale.add(id)
      changed.clear()
    },
    has: (id) => stale.has(id),
    add: (id) => void stale.add(id),
    take: (id) => stale.delete(id),
  }
}
