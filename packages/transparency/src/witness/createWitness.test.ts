import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createCosigner,
  encodeBase64,
  formatCheckpoint,
  formatSignerKey,
  openCheckpoint,
  parseSignerKey,
  proveConsistency,
  readLogPolicy,
  rootOf,
  signNote,
  verifierKeyOf,
  verifyLogProof,
} from '../index.ts'
import {
  createLogPublisher,
  createMemoryLog,
  createWitnessClient,
  type LogStorage,
  type MemoryLog,
  proveEntry,
  readTree,
} from '../publisher/index.ts'
import { createMemoryBook, createWitness, createWitnessServer, type WitnessBook } from './index.ts'

const ORIGIN = 'service.example/log'
const seed = (number: number) => new Uint8Array(32).fill(number)
let book: WitnessBook
let close: () => Promise<unknown>
let url: string
let witnessKey: string
let logKey: string
let errors: string[]

beforeEach(async () => {
  errors = []
  book = createMemoryBook()
  logKey = await formatSignerKey(ORIGIN, seed(1))
  await open()
})

afterEach(() => close())

async function open() {
  const cosigner = await createCosigner('witness.example', seed(2), Date.now)
  witnessKey = cosigner.verifierKey
  const logs = [readLogPolicy({ key: await verifierKeyOf(logKey) })]
  const server = createWitnessServer({
    witness: createWitness({ logs, cosigner, book }),
    onError: (error) => errors.push(`${error}`),
  }).listen(0)
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  close = async () => {
    server.closeAllConnections()
    server.close()
  }
}

async function openPublisher(log: LogStorage, now = Date.now) {
  return createLogPublisher({
    log,
    signer: await parseSignerKey(logKey),
    witnesses: [createWitnessClient({ url, key: witnessKey }, await verifierKeyOf(logKey))],
    now,
    onError: (error) => errors.push(`${error}`),
  })
}

const entryOf = (version: number) => new TextEncoder().encode(`version ${version}`)

function add(log: MemoryLog, ...versions: number[]) {
  for (const version of versions) log.add(entryOf(version))
}

const policy = async () =>
  readLogPolicy({ key: await verifierKeyOf(logKey), witnesses: [witnessKey], quorum: 1 })

/** Sends a checkpoint of a tree, signed by the log, with a proof from an older size. */
async function submit(log: MemoryLog, old: number, change: (body: string) => string = (body) => body) {
  const size = await log.size()
  const read = readTree(log, size)
  const proof = old <= size ? await proveConsistency(old, size, read) : []
  const note = await signNote(formatCheckpoint({ origin: ORIGIN, size, root: await rootOf(size, read) }), [
    await parseSignerKey(logKey),
  ])
  const body = change([`old ${old}`, ...proof.map(encodeBase64), '', note].join('\n'))
  return fetch(`${url}/add-checkpoint`, { method: 'POST', body })
}

test('default: a published checkpoint is cosigned, and proves each leaf offline', async () => {
  const log = createMemoryLog()
  const publisher = await openPublisher(log)
  expect(await publisher.publish()).toBeNull()
  for (const version of [1, 2, 3]) {
    add(log, version)
    const head = await publisher.publish()
    const { size, witnesses } = await openCheckpoint(head?.note ?? '', await policy(), Date.now())
    expect([size, witnesses.map(({ name }) => name)]).toEqual([version, ['witness.example']])
  }
  const proof = (await proveEntry(log, 1)) ?? ''
  expect(await verifyLogProof(proof, entryOf(2), await policy(), Date.now())).toMatchObject({ index: 1 })
  expect(await proveEntry(log, 3)).toBeUndefined()
  expect(errors).toEqual([])
})

test('behavior: a checkpoint from the future is cosigned again once the clock was set back', async () => {
  let aheadMs = 2 * 24 * 3_600_000
  const log = createMemoryLog()
  const publisher = await openPublisher(log, () => Date.now() + aheadMs)
  add(log, 1)
  expect((await publisher.publish())?.at).toBeGreaterThan(Date.now())
  aheadMs = 0
  const again = await publisher.publish()
  expect(again?.at).toBeLessThanOrEqual(Date.now())
  expect(again?.size).toBe(1)
  expect(await publisher.publish()).toEqual(again)
})

test('behavior: the witness serves the last checkpoint and keeps it over a restart', async () => {
  const log = createMemoryLog()
  add(log, 1)
  await (await openPublisher(log)).publish()
  await close()
  await open()
  const hash = 'f3a07e3b5ca0b6d6'
  expect((await fetch(`${url}/${hash}/checkpoint`)).status).toBe(404)
  const origin = createHash('sha256').update(ORIGIN).digest('hex')
  const note = await (await fetch(`${url}/${origin}/checkpoint`)).text()
  expect(await openCheckpoint(note, await policy(), Date.now())).toMatchObject({ size: 1 })
  expect((await submit(log, 0)).status).toBe(409)
  expect(await (await fetch(`${url}/`)).text()).toBe(`${witnessKey}\n${ORIGIN}\n`)
})

test('error: the witness answers as C2SP tlog-witness says', async () => {
  const log = createMemoryLog()
  add(log, 1, 2, 3)
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
  add(log, 4)
  await log.sequence(9)
  expect((await submit(log, 3, (body) => body.replace(/\n[^\n]+=\n/, '\n'))).status).toBe(422)
  expect((await submit(log, 3)).status).toBe(200)
  expect((await fetch(`${url}/add-checkpoint`)).status).toBe(405)
  expect((await fetch(`${url}/add-checkpoint`, { method: 'POST', body: 'x'.repeat(70_000) })).status).toBe(
    413,
  )
})

test('error: a fork is refused, and so is a log that was set back', async () => {
  const log = createMemoryLog()
  add(log, 1, 2, 3)
  await (await openPublisher(log)).publish()
  const fork = createMemoryLog()
  add(fork, 1, 9, 3, 4)
  await fork.sequence(9)
  expect((await submit(fork, 3)).status).toBe(422)
  const older = createMemoryLog()
  add(older, 1)
  await expect((await openPublisher(older)).publish()).rejects.toThrow(
    'witness witness.example cosigned 3 leaves that the store does not continue, which has 1; nothing is signed',
  )
  add(older, 9, 3, 4)
  await expect((await openPublisher(older)).publish()).rejects.toThrow('cosigned 3 leaves that the store')
  expect([await older.head(), errors]).toEqual([null, []])
})

test('behavior: a witness that does not answer at the start is waited for, but not for ever', async () => {
  const log = createMemoryLog()
  let now = Date.now()
  add(log, 1)
  await close()
  const publisher = await openPublisher(log, () => now)
  await expect(publisher.publish()).rejects.toThrow('0 of 1 witnesses answer; nothing is signed before 1 do')
  expect(await log.head()).toBeNull()
  now += 600_000
  expect(await publisher.publish()).toMatchObject({ size: 1 })
  await open()
})

test('error: a witness that comes back with another tree ends the signing', async () => {
  const log = createMemoryLog()
  add(log, 1, 2, 3)
  await (await openPublisher(log)).publish()
  await close()
  const older = createMemoryLog()
  let now = Date.now()
  add(older, 1)
  const publisher = await openPublisher(older, () => now)
  now += 600_000
  expect(await publisher.publish()).toMatchObject({ size: 1 })
  await open()
  const again = createWitnessClient({ url, key: witnessKey }, await verifierKeyOf(logKey))
  expect(await again.latest()).toMatchObject({ size: 3 })
  add(older, 2)
  const late = await openPublisher(older)
  await expect(late.publish()).rejects.toThrow('cosigned 3 leaves that the store does not continue')
  expect(await older.head()).toMatchObject({ size: 1 })
})

test('error: a witness cannot stop a log with a tree that the log never signed', async () => {
  const log = createMemoryLog()
  add(log, 1)
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
  const log = createMemoryLog()
  add(log, 1, 2)
  await log.sequence(9)
  const answers = await Promise.all(Array.from({ length: 8 }, () => submit(log, 0)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409])
})

test('behavior: without its witness the last cosigned checkpoint stays for ten minutes', async () => {
  const log = createMemoryLog()
  let now = Date.now()
  const publisher = await openPublisher(log, () => now)
  add(log, 1)
  await publisher.publish()
  await close()
  add(log, 2)
  expect(await publisher.publish()).toMatchObject({ size: 1 })
  now += 600_000
  expect(await publisher.publish()).toMatchObject({ size: 2 })
  await open()
})

test('error: nothing is signed over a store that lost or changed leaves', async () => {
  const log = createMemoryLog()
  add(log, 1, 2, 3)
  const publisher = await openPublisher(log)
  const head = await publisher.publish()
  add(log, 4)
  const changed: LogStorage = {
    ...log,
    tiles: async (places) =>
      (await log.tiles(places)).map(
        (tile) => tile && Buffer.concat([Buffer.alloc(32, 7), tile.subarray(32)]),
      ),
  }
  await expect((await openPublisher(changed)).publish()).rejects.toThrow('does not hold the 3 leaves')
  expect(await log.head()).toEqual(head)
})
