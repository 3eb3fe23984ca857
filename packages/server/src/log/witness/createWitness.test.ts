import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeLeaf } from '@touchstone402/shared/leaves'
import {
  COSIGNATURE_TYPE,
  createCosigner,
  encodeBase64,
  formatCheckpoint,
  formatSignerKey,
  formatVerifierKey,
  openCheckpoint,
  parseSignerKey,
  publicKeyOf,
  readLogPolicy,
  rootOf,
  signNote,
  verifierKeyOf,
  verifyLogProof,
} from '@touchstone402/transparency'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { LogStore } from '../../ports/log.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'
import { createWitnessClient } from '../askWitness.ts'
import { createLogPublisher } from '../createLogPublisher.ts'
import { proveEntry, readTree } from '../createLogTree.ts'
import type { WitnessBook } from './createWitness.ts'
import { createWitness } from './createWitness.ts'
import { createWitnessServer } from './createWitnessServer.ts'
import { openWitnessBook } from './openWitnessBook.ts'

const ORIGIN = 'service.example/log'
const seed = (number: number) => new Uint8Array(32).fill(number)
let directory: string
let book: WitnessBook
let close: () => Promise<unknown>
let url: string
let witnessKey: string
let logKey: string
let errors: string[]

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-witness-'))
  errors = []
  logKey = await formatSignerKey(ORIGIN, seed(1))
  witnessKey = formatVerifierKey('witness.example', await publicKeyOf(seed(2)), COSIGNATURE_TYPE)
  await open()
})

afterEach(async () => {
  await close()
  await rm(directory, { recursive: true })
})

async function open() {
  book = await openWitnessBook(directory)
  const cosigner = await createCosigner('witness.example', seed(2), Date.now)
  const logs = [readLogPolicy({ key: await verifierKeyOf(logKey) })]
  const server = createWitnessServer({
    witness: createWitness({ logs, cosigner, book, now: Date.now }),
    origins: [ORIGIN],
    verifierKey: witnessKey,
    onError: (error) => errors.push(`${error}`),
  }).listen(0)
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  close = async () => {
    server.closeAllConnections()
    server.close()
    await book.close()
  }
}

async function openPublisher(log: LogStore, now = Date.now) {
  return createLogPublisher({
    log,
    signer: await parseSignerKey(logKey),
    witnesses: [createWitnessClient({ url, key: witnessKey }, await verifierKeyOf(logKey))],
    now,
    everyMs: 1,
    onError: (error) => errors.push(`${error}`),
  })
}

async function add(log: LogStore, ...versions: number[]) {
  const leaf = (version: number) => ({
    ...writeLeaf({ kind: 'map', at: '2026-01-31T12:00:00.000Z', version }, null),
    key: `map ${version}`,
  })
  await log.add(versions.map(leaf))
}

const policy = async () =>
  readLogPolicy({ key: await verifierKeyOf(logKey), witnesses: [witnessKey], quorum: 1 })

/** Sends a checkpoint of a tree, signed by the log, with a proof from an older size. */
async function submit(log: LogStore, old: number, change: (body: string) => string = (body) => body) {
  const size = await log.size()
  const read = readTree(log, size)
  const { proveConsistency } = await import('@touchstone402/transparency')
  const proof = old <= size ? await proveConsistency(old, size, read) : []
  const note = await signNote(formatCheckpoint({ origin: ORIGIN, size, root: await rootOf(size, read) }), [
    await parseSignerKey(logKey),
  ])
  const body = change([`old ${old}`, ...proof.map(encodeBase64), '', note].join('\n'))
  return fetch(`${url}/add-checkpoint`, { method: 'POST', body })
}

test('default: a published checkpoint is cosigned, and proves each leaf offline', async () => {
  const { log } = createMemoryStore()
  const publisher = await openPublisher(log)
  expect(await publisher.publish()).toBeNull()
  for (const version of [1, 2, 3]) {
    await add(log, version)
    const head = await publisher.publish()
    const { size, witnesses } = await openCheckpoint(head?.note ?? '', await policy(), Date.now())
    expect([size, witnesses.map(({ name }) => name)]).toEqual([version, ['witness.example']])
  }
  const proven = await proveEntry(log, 1)
  const leaf = Buffer.from(proven?.leaf ?? '')
  expect(await verifyLogProof(proven?.proof ?? '', leaf, await policy(), Date.now())).toMatchObject({
    index: 1,
  })
  expect(await proveEntry(log, 3)).toBeUndefined()
  expect(errors).toEqual([])
})

test('behavior: a checkpoint from the future is cosigned again once the clock was set back', async () => {
  let aheadMs = 2 * 24 * 3_600_000
  const { log } = createMemoryStore()
  const publisher = await openPublisher(log, () => Date.now() + aheadMs)
  await add(log, 1)
  expect((await publisher.publish())?.at).toBeGreaterThan(Date.now())
  aheadMs = 0
  const again = await publisher.publish()
  expect(again?.at).toBeLessThanOrEqual(Date.now())
  expect(again?.size).toBe(1)
  expect(await publisher.publish()).toEqual(again)
})

test('behavior: the witness serves the last checkpoint and keeps it over a restart', async () => {
  const { log } = createMemoryStore()
  await add(log, 1)
  await (await openPublisher(log)).publish()
  await close()
  await open()
  const hash = 'f3a07e3b5ca0b6d6'
  expect((await fetch(`${url}/${hash}/checkpoint`)).status).toBe(404)
  const { createHash } = await import('node:crypto')
  const origin = createHash('sha256').update(ORIGIN).digest('hex')
  const note = await (await fetch(`${url}/${origin}/checkpoint`)).text()
  expect(await openCheckpoint(note, await policy(), Date.now())).toMatchObject({ size: 1 })
  expect((await submit(log, 0)).status).toBe(409)
  expect(await (await fetch(`${url}/`)).text()).toBe(`${witnessKey}\n${ORIGIN}\n`)
})

test('error: the witness answers as C2SP tlog-witness says', async () => {
  const { log } = createMemoryStore()
  await add(log, 1, 2, 3)
  await log.sequence(9)
  expect((await submit(log, 0, (body) => body.replaceAll(ORIGIN, 'other.example/log'))).status).toBe(404)
  expect((await submit(log, 0, (body) => body.replace('\n3\n', '\n4\n'))).status).toBe(403)
  expect((await submit(log, 4)).status).toBe(400)
  expect((await submit(log, 0, (body) => body.replace('old', 'new'))).status).toBe(400)
  expect(
    (await submit(log, 0, (body) => body.replace('\n\n', `\n${encodeBase64(seed(1))}\n\n`))).status,
  ).toBe(422)
  expect((await submit(log, 0)).status).toBe(200)
  const conflict = await submit(log, 0)
  expect([conflict.status, conflict.headers.get('content-type'), await conflict.text()]).toEqual([
    409,
    'text/x.tlog.size',
    '3\n',
  ])
  await add(log, 4)
  await log.sequence(9)
  expect((await submit(log, 3, (body) => body.replace(/\n[^\n]+=\n/, '\n'))).status).toBe(422)
  expect((await submit(log, 3)).status).toBe(200)
  expect((await fetch(`${url}/add-checkpoint`)).status).toBe(405)
  expect((await fetch(`${url}/add-checkpoint`, { method: 'POST', body: 'x'.repeat(70_000) })).status).toBe(
    413,
  )
})

test('error: a fork is refused, and so is a log that was set back', async () => {
  const { log } = createMemoryStore()
  await add(log, 1, 2, 3)
  await (await openPublisher(log)).publish()
  const fork = createMemoryStore().log
  await add(fork, 1, 9, 3, 4)
  await fork.sequence(9)
  expect((await submit(fork, 3)).status).toBe(422)
  const older = createMemoryStore().log
  await add(older, 1)
  await expect((await openPublisher(older)).publish()).rejects.toThrow(
    'witness witness.example cosigned 3 leaves that the store does not continue, which has 1; nothing is signed: put the newest back-up',
  )
  await add(older, 9, 3, 4)
  await expect((await openPublisher(older)).publish()).rejects.toThrow('cosigned 3 leaves that the store')
  expect([await older.head(), errors]).toEqual([null, []])
})

test('behavior: a witness that does not answer at the start is waited for, but not for ever', async () => {
  const { log } = createMemoryStore()
  let now = Date.now()
  await add(log, 1)
  await close()
  const publisher = await openPublisher(log, () => now)
  await expect(publisher.publish()).rejects.toThrow('0 of 1 witnesses answer; nothing is signed before 1 do')
  expect(await log.head()).toBeNull()
  now += 600_000
  expect(await publisher.publish()).toMatchObject({ size: 1 })
  await open()
})

test('error: a witness that comes back with another tree ends the signing', async () => {
  const { log } = createMemoryStore()
  await add(log, 1, 2, 3)
  await (await openPublisher(log)).publish()
  await close()
  const older = createMemoryStore().log
  let now = Date.now()
  await add(older, 1)
  const publisher = await openPublisher(older, () => now)
  now += 600_000
  expect(await publisher.publish()).toMatchObject({ size: 1 })
  await open()
  const again = createWitnessClient({ url, key: witnessKey }, await verifierKeyOf(logKey))
  expect(await again.latest()).toMatchObject({ size: 3 })
  await add(older, 2)
  const late = await openPublisher(older)
  await expect(late.publish()).rejects.toThrow('cosigned 3 leaves that the store does not continue')
  expect(await older.head()).toMatchObject({ size: 1 })
})

test('error: a witness cannot stop a log with a tree that the log never signed', async () => {
  const { log } = createMemoryStore()
  await add(log, 1)
  await log.sequence(9)
  const stranger = await parseSignerKey(await formatSignerKey(ORIGIN, seed(9)))
  const cosigner = await createCosigner('witness.example', seed(2), Date.now)
  const text = formatCheckpoint({ origin: ORIGIN, size: 7, root: seed(7) })
  await book.write(ORIGIN, {
    size: 7,
    root: encodeBase64(seed(7)),
    note: await signNote(text, [stranger, cosigner]),
  })
  await expect((await openPublisher(log)).publish()).rejects.toThrow('0 of 1 witnesses answer')
  expect(errors.join()).toContain('answered no checkpoint that it and service.example/log signed')
})

test('behavior: of parallel requests of one size one is cosigned', async () => {
  const { log } = createMemoryStore()
  await add(log, 1, 2)
  await log.sequence(9)
  const answers = await Promise.all(Array.from({ length: 8 }, () => submit(log, 0)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409])
})

test('behavior: a cosigned checkpoint is durable while other logs are written', async () => {
  const origins = ['a.example/log', 'b.example/log', 'c.example/log', 'd.example/log']
  for (let size = 1; size <= 50; size++) {
    await Promise.all(
      origins.map((origin) => book.write(origin, { size, root: encodeBase64(seed(size)), note: origin })),
    )
    const stored = JSON.parse(await readFile(join(directory, 'witness-book.json'), 'utf8'))
    expect(origins.map((origin) => stored[origin].size)).toEqual(origins.map(() => size))
  }
})

test('behavior: without its witness the last cosigned checkpoint stays for ten minutes', async () => {
  const { log } = createMemoryStore()
  let now = Date.now()
  const publisher = await openPublisher(log, () => now)
  await add(log, 1)
  await publisher.publish()
  await close()
  await add(log, 2)
  expect(await publisher.publish()).toMatchObject({ size: 1 })
  now += 600_000
  expect(await publisher.publish()).toMatchObject({ size: 2 })
  await open()
})

test('error: nothing is signed over a store that lost or changed leaves', async () => {
  const { log } = createMemoryStore()
  await add(log, 1, 2, 3)
  const publisher = await openPublisher(log)
  const head = await publisher.publish()
  await add(log, 4)
  const changed: LogStore = {
    ...log,
    tiles: async (places) =>
      (await log.tiles(places)).map(
        (tile) => tile && Buffer.concat([Buffer.alloc(32, 7), tile.subarray(32)]),
      ),
  }
  await expect((await openPublisher(changed)).publish()).rejects.toThrow('does not hold the 3 leaves')
  expect(await log.head()).toEqual(head)
})
