import { randomBytes } from 'node:crypto'
import { createUnpaidCaller } from '../../adapters/probe/createUnpaidCaller.ts'
import { createScans, type Scans } from '../../scans/createScans.ts'
import type { Audit } from '../openAudit.ts'
import type { Storage } from '../openStorage.ts'
import type { Scope } from '../scope.ts'

const ID_BYTES = 16

/** Opens the scans that anybody may ask for. They end with the scope. */
export function openScans(
  { config, clock, lookup, warn, onStop }: Scope,
  { store }: Storage,
  { auditor }: Audit,
): Scans {
  const caller = createUnpaidCaller({
    contact: config.contact,
    allowPrivate: config.developmentAllowHosts,
    ...(lookup && { lookup }),
  })
  const scans = createScans({
    documents: store.expiring,
    auditor,
    ask: caller.ask,
    resolve: caller.resolve,
    clock,
    newId: () => randomBytes(ID_BYTES).toString('base64url'),
    onError: warn('scan'),
  })
  onStop(async () => {
    await scans.close()
    await caller.close()
  })
  return scans
}
