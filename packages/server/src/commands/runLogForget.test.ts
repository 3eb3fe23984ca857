import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLeaf, readLeaf, writeLeaf } from '@touchstone402/shared/leaves'
import {
  formatSignerKey,
  parseSignerKey,
  readLogPolicy,
  verifierKeyOf,
  verifyLogProof,
} from '@touchstone402/transparency'
import { createLogPublisher, isWhole } from '@touchstone402/transparency/publisher'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { STANDARD_STREAMS } from '../lib/output.ts'
import { logStorage } from '../log/logStorage.ts'
import { proveLeaf } from '../log/proveLeaf.ts'
import { openStore } from '../services/openStore.ts'
import { readHead, readLeaves } from '../store/log.ts'
import { runCommand } from './runMain.ts'

const opening = { salt: Buffer.alloc(16, 7).toString('base64'), host: 'a.example' }
let directory: string
let signerKey: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-forget-'))
  signerKey = await formatSignerKey('trust.example/log', new Uint8Array(32).fill(1))
  const store = await openStore({ databaseUrl: null, dataDir: directory })
  await store.write(
    'addLeaves',
    [opening, opening, null].map((named, version) => ({
      ...writeLeaf({ kind: 'day', at: '2026-01-31T12:00:00.000Z', version }, named),
      key: `leaf ${version}`,
    })),
  )
  const signer = await parseSignerKey(signerKey)
  const onError = (error: unknown) => expect.unreachable(String(error))
  await createLogPublisher({
    log: logStorage(store),
    signer,
    witnesses: [],
    now: Date.now,
    onError,
  }).publish()
  await store.close()
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const run = (...words: string[]) => runCommand(['log', ...words], { DATA_DIR: directory }, STANDARD_STREAMS)

test('default: one opening is gone, and every leaf is proven as before', async () => {
  expect(await run('forget', '1')).toMatch(/^The opening of leaf 1 is deleted/)
  const store = await openStore({ databaseUrl: null, dataDir: directory })
  const policy = readLogPolicy({ key: await verifierKeyOf(signerKey) })
  const openings: unknown[] = []
  for (const index of [0, 1, 2]) {
    const entry = await proveLeaf(store, index)
    const bytes = Buffer.from(entry?.leaf ?? '')
    expect(await verifyLogProof(entry?.proof ?? '', bytes, policy, Date.now())).toMatchObject({ index })
    openings.push(entry?.opening && openLeaf(readLeaf(bytes), entry.opening))
  }
  expect(openings).toEqual([opening, null, null])
  const head = await readHead(store)
  expect(head && (await isWhole(logStorage(store), head))).toBe(true)
  await store.close()
})

test.each([
  [['forget', '2'], 'leaf 2 has no opening: it contains no names, or its opening was deleted before'],
  [['forget', '3'], 'there is no leaf 3: the log has 3 leaves'],
  [['forget', '01'], 'INDEX must be the index of a leaf, such as 12; got "01"'],
  [['forget', '1', '2'], 'log forget takes INDEX and no further word; got 2'],
  [['remember', '1'], 'Unknown command "log remember"'],
])('error: %j is refused, and nothing is deleted', async (words, message) => {
  await expect(run(...words)).rejects.toThrow(message)
  const store = await openStore({ databaseUrl: null, dataDir: directory })
  expect((await readLeaves(store, 0, 3)).filter((entry) => entry.opening !== null)).toHaveLength(2)
  await store.close()
})
