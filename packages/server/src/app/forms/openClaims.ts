import { randomBytes } from 'node:crypto'
import { createClaimReader } from '../../adapters/probe/createClaimReader.ts'
import { createDisputes, type Disputes } from '../../claims/createDisputes.ts'
import { createHostClaims, type HostClaims } from '../../claims/createHostClaims.ts'
import { repeat } from '../../crawl/repeat.ts'
import { HOUR } from '../../domain/facts/times.ts'
import type { Storage } from '../openStorage.ts'
import type { Scope } from '../scope.ts'

const ID_BYTES = 9

/** Opens the claims of hosts. They end with the scope. */
export function openHostClaims(
  { config, clock, lookup, onStop }: Scope,
  { store }: Pick<Storage, 'store'>,
): HostClaims {
  const { contact, publicUrl, developmentAllowHosts } = config
  const reader = createClaimReader({
    contact,
    allowPrivate: developmentAllowHosts,
    ...(lookup && { lookup }),
  })
  onStop(reader.close)
  return createHostClaims({
    ...{ documents: store.expiring, store, reader, clock, publicUrl },
    developmentHosts: developmentAllowHosts,
  })
}

/** Opens the disputes that pages take and show. */
export function openDisputes({ clock }: Pick<Scope, 'clock'>, { store }: Pick<Storage, 'store'>): Disputes {
  return createDisputes({
    documents: store.expiring,
    clock,
    newId: () => randomBytes(ID_BYTES).toString('base64url'),
  })
}

/** Checks each claim once a day until the signal fires. */
export async function watchClaims(
  { clock, log, warn }: Pick<Scope, 'clock' | 'log' | 'warn'>,
  claims: Pick<HostClaims, 'checkDue'>,
  signal: AbortSignal,
): Promise<void> {
  const check = async () => {
    const { lapsed } = await claims.checkDue(signal).catch((error: unknown) => {
      warn('claims')(error)
      return { lapsed: 0 }
    })
    if (lapsed > 0) log('info', `claims: ${lapsed} lapsed`)
  }
  await repeat(clock, check, () => HOUR, signal)
}
