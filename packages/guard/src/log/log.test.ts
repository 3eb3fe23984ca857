import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { joinLeaf, writeLeaf } from '@touchstone402/shared/leaves'
import {
  COSIGNATURE_TYPE,
  createCosigner,
  encodeEntries,
  formatCheckpoint,
  formatSignerKey,
  formatVerifierKey,
  hashLeaf,
  makeLogProof,
  parseLogProof,
  parseSignerKey,
  publicKeyOf,
  readFromTiles,
  rootOf,
  signNote,
  verifierKeyOf,
} from '@touchstone402/transparency'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { run } from '../node/cli/run.ts'
import { NO_STREAMS } from '../testing/noStreams.ts'
import type { FetchLike } from '../types.ts'
import { createServiceKeys } from '../verdicts/serviceKeys.ts'
import { createLogCheck } from './index.ts'

const ORIGIN = 'trust.example/log'
const ENDPOINT = 'https://api.example/weather'
const NOW = Date.now()
const seed = (number: number) => new Uint8Array(32).fill(number)
const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }
const THUMBPRINT = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'
const salt = Buffer.alloc(16, 7).toString('base64')
const at = '2026-01-31T12:00:00.000Z'

const KEY = writeLeaf({ kind: 'key', at, event: 'begins', use: 'decisions', key: THUMBPRINT }, null)
const MAP = writeLeaf({ kind: 'map', at, version: 7, sha256: 'abc' }, null)
const SAFE = writeLeaf(
  { kind: 'decision', at, verdict: 'safe' },
  { salt, host: 'api.example', endpoint: ENDPOINT },
)
const OTHER = writeLeaf(
  { kind: 'decision', at, verdict: 'avoid' },
  { salt, host: 'b.example', endpoint: 'https://b.example/' },
)

/** A log of some leaves, cosigned at a time, and its files. */
async function openLog(leaves: readonly ReturnType<typeof writeLeaf>[], cosignedAt = NOW) {
  const signerKey = await formatSignerKey(ORIGIN, seed(1))
  const bytes = leaves.map(({ leaf }) => new TextEncoder().encode(leaf))
  const tile = new Uint8Array(bytes.flatMap((leaf) => [...hashLeaf(leaf)]))
  const read = readFromTiles(leaves.length, async (tiles) => tiles.map(() => tile))
  const note = await signNote(
    formatCheckpoint({ origin: ORIGIN, size: leaves.length, root: await rootOf(leaves.length, read) }),
    [await parseSignerKey(signerKey), await createCosigner('w.example', seed(2), () => cosignedAt)],
  )
  const files: Record<string, string | Uint8Array> = {
    '/log/checkpoint': note,
    [`/log/tile/0/000.p/${leaves.length}`]: tile,
    [`/log/tile/entries/000.p/${leaves.length}`]: encodeEntries(bytes),
    [`/log/openings/000.p/${leaves.length}`]: leaves.map(({ opening }) => `${opening ?? ''}\n`).join(''),
    '/verify': JSON.stringify({ logIndex: leaves.indexOf(SAFE) }),
  }
  const serve: FetchLike = async (input) => {
    const file = files[new URL(String(input)).pathname]
    return new Response(typeof file === 'object' ? new Uint8Array(file) : file, {
      status: file === undefined ? 404 : 200,
    })
  }
  const prove = (index: number) => {
    const extra = joinLeaf(leaves[index] ?? KEY)
    return makeLogProof({ index, size: leaves.length, checkpoint: note, extra }, read)
  }
  const witness = formatVerifierKey('w.example', await publicKeyOf(seed(2)), COSIGNATURE_TYPE)
  return { key: await verifierKeyOf(signerKey), witness, prove, serve }
}

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-guard-log-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Runs a command against a log, with a memory that lasts for the test. */
async function runLog(words: string[], log: Awaited<ReturnType<typeof openLog>>) {
  const lines: string[] = []
  const out = (line: string) => void lines.push(line)
  const options = ['--key', log.key, '--witness', log.witness, '--memory', join(folder, 'memory')]
  const env = { TOUCHSTONE_URL: 'https://trust.example' }
  const code = await run(['log', ...words, ...options], {
    ...NO_STREAMS,
    out,
    err: out,
    env,
    fetch: log.serve,
  })
  return { code, text: lines.join('\n') }
}

test('default: a key and a map whose leaves a witnessed checkpoint covers', async () => {
  const { key, witness, prove } = await openLog([MAP, KEY])
  const check = createLogCheck({ key, witnesses: [witness] })
  expect(await check.verifyKey(THUMBPRINT, await prove(1))).toBe(true)
  expect(await check.verifyMap(await prove(0), { version: 7, sha256: 'abc' })).toBe(true)
})

test('error: proofs of something else, by others, too old, or none', async () => {
  const { key, witness, prove } = await openLog([MAP, KEY])
  const check = createLogCheck({ key, witnesses: [witness] })
  expect(await check.verifyKey(THUMBPRINT, undefined)).toBe(false)
  expect(await check.verifyKey(THUMBPRINT, 'x')).toBe(false)
  expect(await check.verifyKey(`${THUMBPRINT.slice(1)}A`, await prove(1))).toBe(false)
  expect(await check.verifyKey(THUMBPRINT, await prove(0))).toBe(false)
  expect(await check.verifyMap(await prove(0), { version: 8, sha256: 'abc' })).toBe(false)
  expect(await check.verifyMap(await prove(0), { version: 7, sha256: 'abd' })).toBe(false)
  const later = createLogCheck({ key, witnesses: [witness], now: () => NOW + 7_300_000 })
  expect(await later.verifyKey(THUMBPRINT, await prove(1))).toBe(false)
  const stranger = formatVerifierKey('w.example', await publicKeyOf(seed(3)), COSIGNATURE_TYPE)
  const other = createLogCheck({ key, witnesses: [stranger] })
  expect(await other.verifyKey(THUMBPRINT, await prove(1))).toBe(false)
  expect(() => createLogCheck({ key: 'x' })).toThrow('log.key: expected name+id+key')
})

test('behavior: keys without a proof are not trusted', async () => {
  const { key, witness, prove } = await openLog([KEY])
  const { verifyKey } = createLogCheck({ key, witnesses: [witness] })
  const keysOf = (entry: object) =>
    createServiceKeys({ loadJwks: async () => ({ keys: [entry] }), now: Date.now, isLogged: verifyKey })(
      undefined,
    )
  const [trusted] = await keysOf({ ...jwk, logProof: await prove(0) })
  expect(trusted?.thumbprint).toBe(THUMBPRINT)
  await expect(keysOf(jwk)).rejects.toThrow('The service publishes no key.')
})

test('default: follow saves the checkpoint, and refuses another history', async () => {
  const first = await openLog([KEY, SAFE])
  expect(await runLog(['follow'], first)).toEqual({
    code: 0,
    text: `${ORIGIN}: 2 leaves, 2 of them new, nothing before changed\nWitnesses: w.example`,
  })
  const { text } = await runLog(['follow', '--json'], await openLog([KEY, SAFE, MAP]))
  expect(JSON.parse(text)).toEqual({ origin: ORIGIN, size: 3, before: 2, witnesses: ['w.example'] })
  const fork = await runLog(['follow'], await openLog([KEY, OTHER, MAP, SAFE]))
  expect([fork.code, fork.text.split(':')[0]]).toEqual([1, 'inconsistent'])
  expect((await runLog(['follow'], first)).code).toBe(1)
  expect((await runLog(['follow'], await openLog([KEY, SAFE, MAP], NOW - 7_300_000))).text).toContain(
    'too_few_witnesses',
  )
})

test('default: prove writes a proof that verifies offline', async () => {
  const log = await openLog([KEY, OTHER, SAFE])
  const path = join(folder, 'weather.tlog-proof')
  const { code, text } = await runLog(['prove', ENDPOINT, '--out', path], log)
  expect([code, text]).toEqual([0, `${path}: leaf 2 of 3 says safe of ${ENDPOINT} at ${at}`])
  const proof = await readFile(path, 'utf8')
  expect(parseLogProof(proof)).toMatchObject({ index: 2 })
  expect(proof).toBe(await log.prove(2))
  expect((await runLog(['prove', 'https://c.example/', '--out', path], log)).text).toContain(
    'is no decision on https://c.example/',
  )
})

test('default: watch lists what is said of a host', async () => {
  const { code, text } = await runLog(
    ['watch', 'api.example', '--json'],
    await openLog([KEY, OTHER, SAFE, MAP]),
  )
  const [line = '', note] = text.split('\n')
  expect([code, JSON.parse(line)]).toEqual([
    0,
    { index: 2, kind: 'decision', at, verdict: 'safe', host: 'api.example', endpoint: ENDPOINT },
  ])
  expect(note).toBe('4 entries checked; 0 have names in an opening that is not published.')
})

test('error: commands without a key or a host', async () => {
  const log = await openLog([KEY])
  expect(await runLog(['watch'], log)).toEqual({
    code: 64,
    text: 'log watch needs <host>: the host, such as api.example.com',
  })
  const io = {
    ...NO_STREAMS,
    out: () => {},
    err: () => {},
    env: { TOUCHSTONE_URL: 'https://trust.example' },
    fetch: log.serve,
  }
  expect(await run(['log', 'follow'], io)).toBe(64)
})
