import { createHash, sign } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BASE } from '@touchstone402/shared'
import { mapKeyName, mapKeyOf, SLOT_MS, writeMapHeader } from '@touchstone402/shared/map'
import {
  encodeRow,
  writeMapBody,
  writePrice,
  writeReceiver,
  writeTermClass,
  writeValue,
} from '@touchstone402/shared/map-write'
import { ED25519_TYPE, keyIdOf, signNote } from '@touchstone402/transparency'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen, type TestServer } from '../../testing/listen.ts'
import { NO_STREAMS } from '../../testing/noStreams.ts'
import { HONEST } from '../../testing/seller.ts'
import { createSigningKey, USDC } from '../../testing/service.ts'
import { run } from './run.ts'

const AVOIDED = 'http://127.0.0.1:1/weather'
const REASON_IN_MODE = '- The map gives no reasons; ask without TOUCHSTONE_MODE=map.'
let service: TestServer
let directory: string
let file: string

beforeAll(async () => {
  const files = new Map<string, string | Uint8Array>()
  service = await listen((request, response) => {
    const found = files.get(request.url ?? '')
    if (found === undefined) response.writeHead(404).end()
    else response.end(found)
  })
  for (const [path, content] of await publish()) files.set(path, content)
  directory = await mkdtemp(join(tmpdir(), 'cli-map-'))
  file = join(directory, 'map')
})
afterAll(async () => {
  await service.stop()
  await rm(directory, { recursive: true })
})

/** Makes the files of a map with one `avoid` endpoint, which takes POST. */
async function publish(): Promise<[string, string | Uint8Array][]> {
  const now = Date.now()
  const { privateKey, jwk } = await createSigningKey()
  const key = mapKeyOf(AVOIDED)
  const baseSlot = Math.floor(now / SLOT_MS)
  const rows = [
    writeTermClass({ scheme: 'exact', network: BASE, asset: USDC, method: 'POST' }),
    writeReceiver(HONEST),
    writePrice({ class: 0, amountAtomicMin: '10000', amountAtomicMax: '10000' }),
  ]
  const value = writeValue({
    ...({ verdict: 'avoid', riskLevel: 'high', receiverStability: 'stable', score: 40 } as const),
    isThin: false,
    rotates: false,
    expirySlot: baseSlot + 4,
    rows: [1, 2],
  })
  const body = writeMapBody({ baseSlot, records: Buffer.concat([key, value]), rows: rows.map(encodeRow) })
  const name = mapKeyName(service.url)
  const keyId = keyIdOf(name, ED25519_TYPE, Buffer.from(String(jwk.x), 'base64url'))
  const header = writeMapHeader({
    issuer: service.url,
    version: 1,
    previous: null,
    issuedAt: now,
    expiresAt: now + 7_200_000,
    entries: 1,
    bytes: body.length,
    scoreVersion: '1.0.0',
    sha256: createHash('sha256').update(body).digest('hex'),
  })
  const note = await signNote(header, [{ name, keyId, sign: async (text) => sign(null, text, privateKey) }])
  return [
    ['/map/latest', note],
    ['/map/1', body],
    ['/.well-known/jwks.json', JSON.stringify({ keys: [jwk] })],
  ]
}

async function cli(line: string, env: Record<string, string> = {}) {
  const lines: string[] = []
  const print = (text: string) => lines.push(text)
  const settings = { TOUCHSTONE_URL: service.url, TOUCHSTONE_MAP: file, ...env }
  const code = await run(line.split(' '), { ...NO_STREAMS, out: print, err: print, env: settings, fetch })
  return { code, lines }
}

test('default: map check prints the output of check in map mode, except for where to ask for reasons', async () => {
  expect((await cli('map pull')).code).toBe(0)
  const inMode = await cli(`check ${AVOIDED}`, { TOUCHSTONE_MODE: 'map' })
  expect(inMode).toEqual({
    code: 2,
    lines: [
      'Avoid, risk high',
      REASON_IN_MODE,
      `Checked terms: POST, up to $0.01 in USDC on Base to ${HONEST.toLowerCase()}`,
      expect.stringMatching(/^Expires 2/),
    ],
  })
  const { code, lines } = await cli(`map check ${AVOIDED}`)
  const reason = '- The map gives no reasons; the command check does, without TOUCHSTONE_MODE=map.'
  expect([code, lines]).toEqual([2, inMode.lines.map((line) => (line === REASON_IN_MODE ? reason : line))])
  const printed = JSON.parse((await cli(`map check ${AVOIDED} --json`)).lines[0] ?? '')
  expect(printed).toMatchObject({ endpoint: AVOIDED, why: [], terms: [{ maxUsd: '0.01' }] })
})

test('behavior: what the map lacks is unknown, in both commands', async () => {
  await cli('map pull')
  for (const [line, env] of [
    [`map check ${AVOIDED}/else`, {}],
    [`check ${AVOIDED}/else`, { TOUCHSTONE_MODE: 'map' }],
  ] as const)
    expect(await cli(line, { ...env })).toEqual({
      code: 3,
      lines: ['Unknown: the map holds no verdict on it', expect.stringMatching(/^Expires /)],
    })
})

test('error: tells a missing file from one that is no map, and from a map that is refused', async () => {
  const none = join(directory, 'none')
  const other = join(directory, 'package.json')
  await writeFile(other, '{}')
  expect(await cli(`map check ${AVOIDED} --file ${none}`)).toEqual({
    code: 3,
    lines: [`Unavailable: No map at ${none}: fetch one with map pull.`],
  })
  expect(await cli(`map info --file ${other}`)).toEqual({
    code: 3,
    lines: [`${other} is not a map, or is damaged: fetch one with map pull.`],
  })
  expect((await cli(`map info --file ${directory}`)).lines).toEqual([
    `The map at ${directory} cannot be read.`,
  ])
  await cli('map pull')
  const elsewhere = await cli('map info --service https://other.example')
  expect(elsewhere.lines).toEqual([expect.stringContaining(`The map at ${file} is refused: `)])
  expect((await cli(`map info --file ${none} --json`)).lines).toEqual(['null'])
})
