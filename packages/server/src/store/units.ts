import { advancePayment, claimPayment, dropExpiredPayments } from './claims.ts'
import { putAudit, putDocument, putMapFiles, removeDocument } from './documents.ts'
import { append, dropDead, noteListed, putEndpoint } from './endpoints.ts'
import { countAll, refreshHosts } from './hosts.ts'
import {
  postpone,
  postponeDocuments,
  putFirst,
  releaseLease,
  renewLease,
  takeDocuments,
  takeHosts,
  takeLease,
} from './leases.ts'
import { addLeaves, beginLog, forgetOpening, putHead, sequenceLeaves } from './log.ts'
import type { Tx } from './tx.ts'

/** Every unit by the name under which a thread is asked for it. */
export const UNITS = {
  append,
  putEndpoint,
  noteListed,
  dropDead,
  refreshHosts,
  countAll,
  takeHosts,
  takeLease,
  renewLease,
  releaseLease,
  postpone,
  putFirst,
  takeDocuments,
  postponeDocuments,
  claimPayment,
  advancePayment,
  dropExpiredPayments,
  putDocument,
  removeDocument,
  putMapFiles,
  putAudit,
  addLeaves,
  sequenceLeaves,
  forgetOpening,
  putHead,
  beginLog,
}

/**
 * Units whose loss in a power cut would lose money or a promise; they wait until the disk has them. A crash of the
 * process loses no unit, and what a later one of these waits for covers all before it.
 */
export const DURABLE: ReadonlySet<keyof typeof UNITS> = new Set([
  'append',
  'claimPayment',
  'advancePayment',
  'putDocument',
  'removeDocument',
  'addLeaves',
  'sequenceLeaves',
  'forgetOpening',
  'putHead',
  'beginLog',
  'putMapFiles',
])

/** Runs a unit by its name; the names and arguments fit, since `Engine.write` checks them. */
export function runUnit(name: keyof typeof UNITS, tx: Tx, args: readonly unknown[]): Promise<unknown> {
  const unit = UNITS[name] as (tx: Tx, ...args: readonly unknown[]) => Promise<unknown>
  return unit(tx, ...args)
}
