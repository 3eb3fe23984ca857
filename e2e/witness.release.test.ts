import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createMemoryStore, logStorage, readHead } from '@touchstone402/server/testing'
import { writeLeaf } from '@touchstone402/shared/leaves'
import {
  formatSignerKey,
  openCheckpoint,
  parseSignerKey,
  readLogPolicy,
  verifierKeyOf,
} from '@touchstone402/transparency'
import { createLogPublisher, createWitnessClient } from '@touchstone402/transparency/publisher'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'
import { BIN } from './support/builtServer.ts'

checksNoAnswers('a witness is another server, with an interface of its own')

const ORIGIN = 'trust.example/log'
let folder: string
let child: ChildProcess | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-witness-'))
})
afterEach(async () => {
  child?.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

/** Starts the command and waits until it listens. Returns its URL and key. */
async function startWitness(logKey: string): Promise<{ url: string; key: string }> {
  child = spawn(process.execPath, [BIN, 'witness'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      WITNESS_LOGS: logKey,
      WITNESS_NAME: 'witness.example',
      WITNESS_DATA_DIR: folder,
      WITNESS_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (child.stdout === null) throw new Error('the witness has no output')
  for await (const line of createInterface({ input: child.stdout })) {
    const [, key, url] = /witness (\S+) listening at (http:[^\s"]+)/.exec(line) ?? []
    if (key !== undefined && url !== undefined) return { url, key }
  }
  throw new Error('the witness ended before it listened')
}

async function kill() {
  if (child === undefined) throw new Error('no witness runs')
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

test('default: a witness in a separate process cosigns, and keeps its checkpoint over a kill', async () => {
  const signerKey = await formatSignerKey(ORIGIN, new Uint8Array(32).fill(1))
  const logKey = await verifierKeyOf(signerKey)
  const errors: string[] = []
  const publisherOf = async (
    log: ReturnType<typeof createMemoryStore>,
    witness: { url: string; key: string },
  ) =>
    createLogPublisher({
      log: logStorage(log),
      signer: await parseSignerKey(signerKey),
      witnesses: [createWitnessClient(witness, logKey)],
      now: Date.now,
      onError: (error) => errors.push(`${error}`),
    })
  const add = (log: ReturnType<typeof createMemoryStore>, version: number) =>
    log.write('addLeaves', [
      { ...writeLeaf({ kind: 'map', at: '2026-01-31T12:00:00.000Z', version }, null), key: `map ${version}` },
    ])
  const store = createMemoryStore()

  let witness = await startWitness(logKey)
  const { key } = witness
  for (const version of [1, 2]) {
    await add(store, version)
    await (await publisherOf(store, witness)).publish()
    await kill()
    witness = await startWitness(logKey)
  }
  expect(witness.key).toBe(key)
  const policy = readLogPolicy({ key: logKey, witnesses: [key], quorum: 1 })
  expect(await openCheckpoint((await readHead(store))?.note ?? '', policy, Date.now())).toMatchObject({
    size: 2,
  })
  expect(errors).toEqual([])

  const other = createMemoryStore()
  for (const version of [1, 7, 8]) await add(other, version)
  await expect((await publisherOf(other, witness)).publish()).rejects.toThrow(
    'cosigned 2 leaves that the store does not continue, which has 3',
  )
  expect([await readHead(other), errors]).toEqual([null, []])
  await kill()
})
