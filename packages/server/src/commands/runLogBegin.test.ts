import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogReader } from '@touchstone402/guard/log'
import { readLeaf, writeLeaf } from '@touchstone402/shared/leaves'
import {
  createCosigner,
  formatSignerKey,
  openCheckpoint,
  parseSignerKey,
  readLogPolicy,
  verifierKeyOf,
} from '@touchstone402/transparency'
import { createLogPublisher, createWitnessClient } from '@touchstone402/transparency/publisher'
import { createWitness, createWitnessServer } from '@touchstone402/transparency/witness'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFile } from '../lib/durableFiles.ts'
import { STANDARD_STREAMS } from '../lib/output.ts'
import { logStorage } from '../log/logStorage.ts'
import { openNoteKey } from '../log/noteKeyFile.ts'
import { openWitnessBook } from '../log/openWitnessBook.ts'
import { publishLogKey } from '../log/proveKeys.ts'
import { openStore } from '../services/openStore.ts'
import { readHead, readLeaves } from '../store/log.ts'
import type { Store } from '../store/store.ts'
import { runBackup } from './runBackup.ts'
import { runCommand } from './runMain.ts'

const OLD = 'trust.example/log'
const NEW = 'trust.example/log2'
const seed = (number: number) => new Uint8Array(32).fill(number)
let folder: string
let dataDir: string
let server: Server
let witness: { url: string; key: string }
let oldKey: string
let closeWitness: () => Promise<void>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-begin-'))
  dataDir = join(folder, 'first')
  await mkdir(dataDir)
  const signerKey = await formatSignerKey(OLD, seed(1))
  oldKey = await verifierKeyOf(signerKey)
  await createFile(join(dataDir, 'log-key'), signerKey)
  await startWitness()
})
afterEach(async () => {
  await closeWitness()
  await rm(folder, { recursive: true, force: true })
})

async function startWitness() {
  const book = await openWitnessBook(join(folder, 'witness'))
  const cosigner = await createCosigner('witness.example', seed(2), Date.now)
  server = createWitnessServer({
    witness: createWitness({
      logs: [readLogPolicy({ key: oldKey })],
      cosigner,
      book,
    }),
    onError: (error) => expect.unreachable(String(error)),
  }).listen(0)
  await once(server, 'listening')
  witness = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: cosigner.verifierKey }
  closeWitness = async () => {
    server.closeAllConnections()
    server.close()
    await book.close()
  }
}

async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ databaseUrl: null, dataDir })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

const leafOf = (version: number) => ({
  ...writeLeaf({ kind: 'map', at: '2026-01-31T12:00:00.000Z', version, sha256: 'ab' }, null),
  key: `map ${version}`,
})

/** Adds leaves and publishes them, as the service does. */
async function publish(...versions: number[]) {
  await withStore(async (store) => {
    await publishLogKey(store, oldKey, Date.now())
    await store.write('addLeaves', versions.map(leafOf))
    const publisher = createLogPublisher({
      log: logStorage(store),
      signer: await parseSignerKey(await formatSignerKey(OLD, seed(1))),
      witnesses: [createWitnessClient(witness, oldKey)],
      now: Date.now,
      onError: (error) => expect.unreachable(String(error)),
    })
    await publisher.publish()
  })
}

/** Publishes three leaves, makes a back-up, publishes a fourth, and restores the back-up, with a leaf that waits. */
async function goBack() {
  await publish(1, 2, 3)
  await runBackup(join(folder, 'back-up.db'), { DATA_DIR: dataDir })
  await publish(4)
  const keyFile = join(dataDir, 'log-key')
  dataDir = join(folder, 'second')
  await mkdir(dataDir)
  await copyFile(keyFile, join(dataDir, 'log-key'))
  const printed = await runCommand(
    ['restore', join(folder, 'back-up.db'), '--new-keys'],
    { DATA_DIR: dataDir },
    STANDARD_STREAMS,
  )
  await withStore((store) => store.write('addLeaves', [leafOf(9)]))
  return printed
}

const begin = (...words: string[]) =>
  runCommand(
    ['log', 'begin', ...words],
    { DATA_DIR: dataDir, LOG_WITNESSES: `${witness.url} ${witness.key}` },
    STANDARD_STREAMS,
  )

/** Reads the first leaf and the one that waited, once it has its place. */
const readNew = () =>
  withStore(async (store) => {
    expect(await readHead(store)).toBeNull()
    await store.write('sequenceLeaves', 9)
    const [first, ...others] = await readLeaves(store, 0, 9)
    const previous = `${readLeaf(Buffer.from(first?.leaf ?? '')).previous}`
    const policy = readLogPolicy({ key: oldKey, witnesses: [witness.key], quorum: 1 })
    const { key } = readLeaf(Buffer.from(first?.leaf ?? ''))
    return {
      key,
      previous: await openCheckpoint(previous, policy, Date.now()),
      others: others.map(({ leaf }) => JSON.parse(leaf).version),
    }
  })

test('default: the new log names the newest checkpoint that a witness knows, and keeps what waited', async () => {
  expect(await goBack()).toMatch(/log: it has 3 leaves; trust\.example\/log signed 3 of them/)
  const printed = await begin(NEW)
  expect(printed).toContain(`newest known checkpoint of ${OLD}: 4 leaves`)
  const { key, previous, others } = await readNew()
  expect(previous).toMatchObject({ origin: OLD, size: 4, witnesses: [{ name: 'witness.example' }] })
  expect(others).toEqual([9])
  expect(key).toBe((await openNoteKey(join(dataDir, 'log-key'), 'unused')).verifierKey)
  expect(`${key}`.startsWith(`${NEW}+`)).toBe(true)
  expect(printed).toContain(`Its key is ${key}`)
  const [, oldId = ''] = oldKey.split('+')
  expect(await readdir(dataDir)).toContain(`log-key.${oldId}`)
})

test('default: the files of the old log are read like the log itself', async () => {
  await goBack()
  const [, files = ''] = /is in (\S+):/.exec(`${await begin(NEW)}`) ?? []
  const fetchFile = (async (url: string) =>
    new Response(await readFile(url.replace('http://files', files)))) as typeof fetch
  const reader = createLogReader({ url: 'http://files', key: oldKey, fetch: fetchFile })
  const versions: unknown[] = []
  for await (const { leaf } of reader.entries(0, await reader.checkpoint()))
    versions.push(readLeaf(leaf).version)
  expect(versions).toEqual([1, 2, 3])
})

test('behavior: it is repeated after a kill at any step', async () => {
  await goBack()
  // Killed after the old key was moved aside.
  const [, oldId = ''] = oldKey.split('+')
  await rename(join(dataDir, 'log-key'), join(dataDir, `log-key.${oldId}`))
  // Killed after the new key was made.
  const { verifierKey } = await openNoteKey(join(dataDir, 'log-key'), NEW)
  expect(await begin(NEW)).toContain(`Its key is ${verifierKey}`)
  // Killed before it reported success.
  expect(await begin(NEW)).toBe(`${NEW} has begun before: start the service, which signs it.`)
  await expect(begin('trust.example/log3')).rejects.toThrow('has begun and signed nothing yet')
  expect((await readNew()).previous).toMatchObject({ size: 4 })
})

test('behavior: a store that lost everything continues the log that a witness knows', async () => {
  await publish(1, 2)
  const keyFile = join(dataDir, 'log-key')
  dataDir = join(folder, 'empty')
  await mkdir(dataDir)
  await copyFile(keyFile, join(dataDir, 'log-key'))
  expect(await begin(NEW)).toContain(`No files of ${OLD} were written`)
  expect((await readNew()).previous).toMatchObject({ origin: OLD, size: 2 })
})

test('error: a witness that cannot be asked is named, unless it is left out', async () => {
  await goBack()
  const { url } = witness
  await closeWitness()
  await expect(begin(NEW)).rejects.toThrow(
    'witness witness.example cannot be asked for its newest checkpoint',
  )
  await expect(runCommand(['log', 'begin', NEW], { DATA_DIR: dataDir }, STANDARD_STREAMS)).rejects.toThrow(
    'witness witness.example cosigned the newest checkpoint, and LOG_WITNESSES does not name it',
  )
  expect(await readdir(dataDir)).not.toContain('ended-logs')
  expect(await begin(NEW, '--without-witnesses')).toContain(
    'newest known checkpoint of trust.example/log: 3 leaves',
  )
  await startWitness()
  expect(url).toBeDefined()
})

test('error: refuses the origin of the log that ends, other words, and a folder in use', async () => {
  await publish(1)
  await expect(begin(OLD)).rejects.toThrow(`${OLD} is the log that ends: give another origin`)
  await expect(begin()).rejects.toThrow('log begin takes one origin without spaces or plus')
  await expect(begin('a b')).rejects.toThrow('log begin takes one origin without spaces or plus')
  await expect(begin(NEW, '--force')).rejects.toThrow('log begin has no option --force')
  await withStore(async () => {
    await expect(begin(NEW)).rejects.toThrow('Another service uses this data folder')
  })
  dataDir = join(folder, 'nothing')
  await expect(begin(NEW)).rejects.toThrow('there is no log to end')
})
