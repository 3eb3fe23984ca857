import { createHash, sign } from 'node:crypto'
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
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { isGuardError } from '../errors.ts'
import { createMapClient } from '../map/createMapClient.ts'
import { type ClientName, createCountingAccount, STOCK_CLIENTS } from '../testing/clients.ts'
import { listen, type TestServer } from '../testing/listen.ts'
import { HONEST, startSeller, type TestSeller, THIEF } from '../testing/seller.ts'
import { createSigningKey, USDC } from '../testing/service.ts'
import { createGuard, type ServiceOptions } from './createGuard.ts'

const CLIENT: ClientName = '@x402/fetch'
let service: TestServer
let seller: TestSeller
let files: Map<string, string | Uint8Array>
const requested: string[] = []

beforeAll(async () => {
  service = await listen((request, response) => {
    requested.push(request.url ?? '')
    const found = files.get(request.url ?? '')
    if (found === undefined) response.writeHead(404).end()
    else response.end(found)
  })
})
afterAll(() => service.stop())
beforeEach(async () => {
  requested.length = 0
  seller = await startSeller()
  files = await publish([`${seller.url}/weather`])
  return () => seller.stop()
})

/** Makes the files of a map that calls endpoints safe on the honest terms. */
async function publish(urls: readonly string[]) {
  const now = Date.now()
  const { privateKey, jwk } = await createSigningKey()
  const terms = { scheme: 'exact', network: BASE, asset: USDC, method: 'GET' }
  const keys = urls.map(mapKeyOf).sort(Buffer.compare)
  const baseSlot = Math.floor(now / SLOT_MS)
  const amounts = { amountAtomicMin: '10000', amountAtomicMax: '10000' }
  const verdict = { verdict: 'safe', riskLevel: 'clean', receiverStability: 'stable', score: 95 } as const
  const value = writeValue({
    ...verdict,
    isThin: false,
    rotates: false,
    expirySlot: baseSlot + 4,
    rows: [1, 2],
  })
  const rows = [writeTermClass(terms), writeReceiver(HONEST), writePrice({ class: 0, ...amounts })]
  const body = writeMapBody({
    baseSlot,
    records: Buffer.concat(keys.flatMap((key) => [key, value])),
    rows: rows.map(encodeRow),
  })
  const name = mapKeyName(service.url)
  const keyId = keyIdOf(name, ED25519_TYPE, Buffer.from(String(jwk.x), 'base64url'))
  const header = writeMapHeader({
    issuer: service.url,
    version: 1,
    previous: null,
    issuedAt: now,
    expiresAt: now + 7_200_000,
    entries: keys.length,
    bytes: body.length,
    scoreVersion: '1.0.0',
    sha256: createHash('sha256').update(body).digest('hex'),
  })
  const note = await signNote(header, [{ name, keyId, sign: async (text) => sign(null, text, privateKey) }])
  return new Map<string, string | Uint8Array>([
    ['/map/latest', note],
    ['/map/1', body],
    ['/.well-known/jwks.json', JSON.stringify({ keys: [jwk] })],
  ])
}

type More = { askUnknown?: boolean } & Pick<Partial<ServiceOptions>, 'fetch' | 'payTo' | 'timeoutMs'>

function setUp(more: More = {}) {
  const { account, counter } = createCountingAccount()
  const map = createMapClient({ url: service.url })
  const guard = createGuard({ service: { url: service.url, mode: 'map', map, ...more }, account })
  const pay = STOCK_CLIENTS[CLIENT](guard.fetch(), account)
  const code = (path: string) =>
    pay(seller.url + path).then(
      ({ status }) => status,
      (error: unknown) => (isGuardError(error) ? error.code : error),
    )
  return { guard, map, counter, code }
}

test('default: pays by the map, and no request names the endpoint', async () => {
  const { code, counter, map } = setUp()
  expect(await code('/weather?city=Oslo')).toBe(200)
  expect(counter.signatures).toBe(1)
  expect(map.info()).toMatchObject({ version: 1, entries: 1, lastError: null })
  expect(requested).toEqual(['/map/latest', '/.well-known/jwks.json', '/map/1'])
})

test('behavior: compares the offer with the terms of the map', async () => {
  const { code, counter } = setUp()
  seller.character = { terms: [{ payTo: THIEF }] }
  expect(await code('/weather')).toBe('RECEIVER_NOT_CHECKED')
  seller.character = { terms: [{ amount: '20000' }] }
  expect(await code('/weather')).toBe('PRICE_ABOVE_CHECKED')
  expect(counter.signatures).toBe(0)
})

test('behavior: what the map lacks is unknown, and is asked for only where askUnknown allows it', async () => {
  seller.character = { terms: [{ amount: '200000' }] }
  expect(await setUp().code('/elsewhere')).toBe('VERDICT_UNKNOWN')
  expect(requested.some((path) => path.includes('elsewhere'))).toBe(false)
  expect(await setUp({ askUnknown: true }).code('/elsewhere')).toBe('VERDICT_UNAVAILABLE')
  expect(requested.filter((path) => path.startsWith('/verify'))).toHaveLength(1)
})

test('error: without a map nothing is paid', async () => {
  files.set('/map/1', 'cut')
  const { code, counter, map } = setUp()
  expect(await code('/weather')).toBe('VERDICT_UNAVAILABLE')
  expect(counter.signatures).toBe(0)
  expect(map.info()).toBeNull()
})

test('error: refuses a mode without its map, and a map without its mode', () => {
  const { url } = service
  const map = createMapClient({ url })
  // @ts-expect-error: the mode needs its map
  expect(() => createGuard({ service: { url, mode: 'map' } })).toThrow('service.map: missing')
  // @ts-expect-error: the map needs its mode
  expect(() => createGuard({ service: { url, map } })).toThrow("service.mode 'map'")
  // @ts-expect-error: no such mode
  expect(() => createGuard({ service: { url, mode: 'both' } })).toThrow('service.mode')
  expect(() => createMapClient({ url: 'http://touchstone.example' })).toThrow('url: expected an https URL')
  expect(() => createMapClient({ url: service.url, refreshSeconds: 1 })).toThrow('refreshSeconds')
})
