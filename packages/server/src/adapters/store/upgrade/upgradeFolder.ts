import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../../../durable/durableFiles.ts'
import type { Store } from '../../../ports/store.ts'
import { type CopiedRecords, copyLog } from './copyLog.ts'
import { createSpool, PARTS, type Spool } from './createSpool.ts'
import { completeStore, placeStore, prepareStore, upgradeState } from './placeStore.ts'
import { type Carry, type PutHosts, putHosts } from './putHosts.ts'
import { oldDocumentsPath, readOldDocuments } from './readOldDocuments.ts'
import { listSegments } from './readSegment.ts'
import { refuseWhileInUse } from './refuseWhileInUse.ts'
import { type OnLine, showProgress } from './showProgress.ts'
import { surveyLog, type Unreadable } from './surveyLog.ts'

/** Options of `upgradeFolder`. */
export type UpgradeOptions = {
  /** Data folder of version 0.1. */
  readonly directory: string
  /** Opens the new store in a data folder, creating it; rejects while another process has it open. */
  open(directory: string): Promise<Store>
  readonly carry: Carry
  /** Receives progress every 5 s, and each file that cannot be read completely. @default ignored */
  readonly onLine?: OnLine
}

/** Result of an upgrade. */
export type Upgraded = CopiedRecords & PutHosts & { readonly unreadable: readonly Unreadable[] }

/**
 * Returns whether a data folder holds records of version 0.1 that are not upgraded.
 * @returns true also after an upgrade that was interrupted
 */
export async function needsUpgrade(directory: string): Promise<boolean> {
  return (await upgradeState(directory)) !== 'none'
}

/**
 * Copies the records of a data folder of version 0.1 into a new store in the same folder, then moves `log/` and
 * `documents/` to `upgraded-0.1/`. Everything else in the folder stays. Until the new store is complete and durable, the
 * old records stay in place, and an interrupted upgrade starts over.
 *
 * Reads the log twice, and sorts looks by host through temporary files of about the log's size. Memory grows with the
 * number of hosts and claims, about 100 bytes each, and holds a 256th of the looks.
 * @returns what was copied; undefined if there was nothing to copy, or only files to move
 * @throws StoreOpenError if a process uses the folder, a file of it cannot be read, or a newer version wrote it
 */
export async function upgradeFolder(options: UpgradeOptions): Promise<Upgraded | undefined> {
  const { directory, open, onLine = () => {} } = options
  if (!(await needsUpgrade(directory))) return undefined
  await refuseWhileInUse(directory)
  // An empty store of its own keeps other upgrades out, by the lock that every store has.
  const guardFolder = join(directory, 'upgrade-lock.tmp')
  await makeFolder(guardFolder)
  const guard = await open(guardFolder)
  try {
    const state = await upgradeState(directory)
    const upgraded = state === 'old' ? await fillStore(options, onLine) : undefined
    if (state !== 'none') await placeStore(directory)
    return upgraded
  } finally {
    await guard.close()
    await rm(guardFolder, { recursive: true, force: true })
  }
}

async function fillStore({ directory, open, carry }: UpgradeOptions, onLine: OnLine): Promise<Upgraded> {
  const filling = await prepareStore(directory)
  const spool = await createSpool(join(filling, 'spool.tmp'))
  const store = await open(filling)
  let upgraded: Upgraded
  try {
    upgraded = await copyFolder(directory, store, spool, carry, onLine)
    await spool.remove()
  } finally {
    await store.close()
  }
  await completeStore(directory)
  return upgraded
}

async function copyFolder(
  directory: string,
  store: Store,
  spool: Spool,
  carry: Carry,
  onLine: OnLine,
): Promise<Upgraded> {
  const segments = await listSegments(join(directory, 'log'))
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0)
  const survey = await surveyLog(segments, showProgress('upgrade 1/3, reading', bytes, 'bytes', onLine))
  const unreadable = [...survey.unreadable]
  const onRead = showProgress('upgrade 2/3, copying', bytes, 'bytes', onLine)
  const copied = await copyLog({ segments, survey, store, spool, onRead })
  const counts = { hosts: 0, endpoints: 0, days: 0 }
  const onPart = showProgress('upgrade 3/3, writing', PARTS, 'parts', onLine)
  const documents = join(directory, 'documents')
  for (let part = 0; part < PARTS; part++) {
    const spooled = await spool.read(part)
    const read = await readOldDocuments(documents, part)
    if (read === 'damaged') {
      // The log holds the same documents.
      unreadable.push({ path: oldDocumentsPath(documents, part), bytes: 0, kind: 'damaged' })
    }
    const known = read === 'damaged' ? [] : read
    const put = await putHosts(store, { ...spooled, documents: [...known, ...spooled.documents] }, carry)
    counts.hosts += put.hosts
    counts.endpoints += put.endpoints
    counts.days += put.days
    onPart(1)
  }
  for (const { path, bytes: lost, kind } of unreadable) onLine(describe(path, lost, kind))
  return { ...copied, ...counts, unreadable }
}

function describe(path: string, bytes: number, kind: Unreadable['kind']): string {
  if (kind === 'torn') return `upgrade: ${path} ends with ${bytes} bytes of a write that never finished`
  if (bytes === 0) return `upgrade: ${path} is damaged; its documents were taken from the log`
  return `upgrade: ${bytes} bytes of ${path} are damaged and were not copied; the file is kept`
}
