import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createLogReader } from '@touchstone402/guard/log'
import {
  COSIGNATURE_TYPE,
  createCosigner,
  formatSignerKey,
  formatVerifierKey,
  parseNote,
  parseSignerKey,
  publicKeyOf,
  signNote,
  verifierKeyOf,
} from '@touchstone402/transparency'
import { createLogPublisher } from '@touchstone402/transparency/publisher'
import { expect, test } from 'vitest'
import { logStorage } from '../log/logStorage.ts'
import { publishLogKey } from '../log/proveKeys.ts'
import { decisionLeaf } from '../publish/leaves.ts'
import { readHost } from '../store/hosts.ts'
import type { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { createSampleDeps } from './testing/createSampleDeps.ts'
import { HTML, openPages } from './testing/openPages.ts'
import { SAMPLE_NOW, SAMPLES } from './testing/sampleServices.ts'

const VERIFIER = fileURLToPath(new URL('../../../../e2e/verifyProof.mjs', import.meta.url))
const seed = (number: number) => new Uint8Array(32).fill(number)
const salt = Buffer.alloc(16, 7).toString('base64')

/** Serves samples whose decisions are logged, under a checkpoint of a log and a witness. */
async function openLog(witnessNames = ['witness.example']) {
  const deps = await createSampleDeps(SAMPLES.slice(0, 2))
  // The pages read a store; the test writes the same one.
  const store = deps.store as ReturnType<typeof createMemoryStore>
  const signerKey = await formatSignerKey('trust.example/log', seed(1))
  const endpoints: string[] = []
  for (const { host } of SAMPLES.slice(0, 2)) {
    for (const state of (await readHost(store, host))?.endpoints ?? []) {
      const leaf = decisionLeaf(undefined, state, () => salt)
      if (leaf === undefined) continue
      await store.write('addLeaves', [leaf])
      endpoints.push(state.endpoint)
    }
  }
  const publisher = createLogPublisher({
    log: logStorage(store),
    signer: await parseSignerKey(signerKey),
    witnesses: witnessNames.map((name) => ({
      name,
      latest: async () => undefined,
      async cosign(_, note) {
        const cosigner = await createCosigner(name, seed(2), Date.now)
        const { signatures } = parseNote(await signNote(parseNote(note).text, [cosigner]))
        const [line] = signatures
        if (line === undefined) throw new Error('nothing signed')
        return line
      },
    })),
    now: Date.now,
    onError: (error) => {
      throw error
    },
  })
  await publisher.publish()
  const key = await verifierKeyOf(signerKey)
  const witness = formatVerifierKey('witness.example', await publicKeyOf(seed(2)), COSIGNATURE_TYPE)
  return { url: await openPages([], deps), key, witness, endpoints, store }
}

test('default: a reader checks every leaf of the served log', async () => {
  const { url, key, witness, endpoints } = await openLog()
  const reader = createLogReader({ url, key, witnesses: [witness] })
  const head = await reader.checkpoint()
  const seen: unknown[] = []
  for await (const { index, leaf, opening } of reader.entries(0, head)) {
    await reader.prove(index, leaf, head)
    seen.push(JSON.parse(opening ?? '{}').endpoint)
  }
  expect(endpoints.length).toBeGreaterThan(1)
  expect(seen).toEqual(endpoints)
})

test('default: the page of a host leads to a proof that an independent verifier accepts', async () => {
  const { url, key, witness, endpoints } = await openLog()
  const [endpoint = ''] = endpoints
  const page = await (await fetch(`${url}/services/${new URL(endpoint).host}`, HTML)).text()
  const [, path = ''] = /href="(\/log\/leaves\/\d+)"/.exec(page) ?? []
  const { proof, leaf } = await (await fetch(`${url}${path}`)).json()
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-proof-'))
  const file = join(folder, 'one.tlog-proof')
  const verify = (text: string, ...keys: string[]) =>
    writeFile(file, text).then(() => promisify(execFile)(process.execPath, [VERIFIER, file, ...keys]))
  try {
    expect((await verify(proof, key, witness)).stdout).toContain(leaf)
    const stranger = formatVerifierKey('w.example', await publicKeyOf(seed(3)), COSIGNATURE_TYPE)
    await expect(verify(proof, key, stranger)).rejects.toThrow('refused: w.example did not cosign')
    const forged = Buffer.from(leaf.replace(/"verdict":"[a-z]+"/, '"verdict":"safer"')).toString('base64')
    await expect(verify(proof.replace(/extra \S+/, `extra ${forged}`), key)).rejects.toThrow(
      'refused: the leaf is not in the log',
    )
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('behavior: what the checkpoint does not cover is not there', async () => {
  const { url, endpoints } = await openLog()
  const status = async (path: string) => (await fetch(`${url}/log/${path}`)).status
  const size = endpoints.length
  expect(await status(`tile/0/000.p/${size}`)).toBe(200)
  expect(await status(`tile/0/000.p/${size + 1}`)).toBe(404)
  expect(await status('tile/0/000')).toBe(404)
  expect(await status('tile/0/x001/000')).toBe(404)
  expect(await status(`tile/entries/000.p/${size}`)).toBe(200)
  expect(await status(`openings/000.p/${size + 1}`)).toBe(404)
  const beyond = await fetch(`${url}/log/leaves/${size}`)
  expect(beyond.status).toBe(404)
  expect(await beyond.json()).toMatchObject({ code: 'not_found' })
  expect(await status('leaves/00')).toBe(404)
  expect((await fetch(`${url}/log/tile/0/000.p/1`)).headers.get('content-type')).toBe(
    'application/octet-stream',
  )
})

test('default: the page shows size, checkpoint, witnesses, and the key with the command that checks', async () => {
  const { url, endpoints, key, store } = await openLog()
  const read = async () => (await fetch(`${url}/log`, HTML)).text()
  expect(await read()).not.toContain('--key')
  await publishLogKey(store, key, SAMPLE_NOW)
  const page = await read()
  for (const text of [
    'trust.example/log',
    'witness.example',
    `<dd>${endpoints.length}</dd>`,
    `<code>${key}</code>`,
  ])
    expect(page).toContain(text)
  expect(page).toContain(`log follow --service https://touchstone.example --key '${key}'`)
  expect(page).toContain(`log recompute URL --service https://touchstone.example --key '${key}'`)
  expect(page).toContain('public from the second day after them')
  const json = await fetch(`${url}/log`, { headers: { Accept: 'application/json' } })
  expect(await json.json()).toMatchObject({ size: endpoints.length, key })
})

test('behavior: says so where no witness cosigned, and where nothing was logged yet', async () => {
  const { url } = await openLog([])
  expect(await (await fetch(`${url}/log`, HTML)).text()).toContain('<dd>No witness yet</dd>')
  const empty = await (await fetch(`${await openPages([])}/log`, HTML)).text()
  expect(empty).toContain('No checkpoint yet')
})
