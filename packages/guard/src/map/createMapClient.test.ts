import { createHash, sign } from 'node:crypto'
import { mapKeyName, writeMapHeader } from '@touchstone402/shared/map'
import { writeMapBody, writeMapDiff } from '@touchstone402/shared/map-write'
import { ED25519_TYPE, keyIdOf, signNote } from '@touchstone402/transparency'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listen, type TestServer } from '../testing/listen.ts'
import { createSigningKey } from '../testing/service.ts'
import { createMapClient } from './createMapClient.ts'

const BASE_SLOT = 80_000
let service: TestServer
let key: Awaited<ReturnType<typeof createSigningKey>>
const files = new Map<string, string | Uint8Array>()
const requested: string[] = []

beforeAll(async () => {
  service = await listen((request, response) => {
    requested.push(request.url ?? '')
    const found = files.get(request.url ?? '')
    if (found === undefined) response.writeHead(404).end()
    else response.end(found)
  })
  key = await createSigningKey()
})
afterAll(() => service.stop())
beforeEach(async () => {
  files.clear()
  files.set('/.well-known/jwks.json', JSON.stringify({ keys: [key.jwk] }))
  await publish(1)
})

/** Publishes a map without entries. Versions differ in their earliest slot. */
async function publish(version: number) {
  const body = writeMapBody({ baseSlot: BASE_SLOT + version, records: new Uint8Array(), rows: [] })
  const issuedAt = Date.now()
  const header = writeMapHeader({
    issuer: service.url,
    version,
    previous: null,
    issuedAt,
    expiresAt: issuedAt + 7_200_000,
    entries: 0,
    bytes: body.length,
    scoreVersion: '1.0.0',
    sha256: createHash('sha256').update(body).digest('hex'),
  })
  const name = mapKeyName(service.url)
  const keyId = keyIdOf(name, ED25519_TYPE, Buffer.from(String(key.jwk.x), 'base64url'))
  const signer = { name, keyId, sign: async (text: Uint8Array) => sign(null, text, key.privateKey) }
  files.set('/map/latest', await signNote(header, [signer])).set(`/map/${version}`, body)
}

function diffTo(version: number) {
  const none = { removed: [], added: [], changed: [], changedRows: [] }
  return writeMapDiff({ baseSlot: BASE_SLOT + version, entries: 0, rows: 0, ...none })
}

/** Loads version 1, publishes version 2 and returns what the refresh requests. */
async function refresh() {
  const map = createMapClient({ url: service.url })
  await map.ready()
  await publish(2)
  requested.length = 0
  expect(await map.refresh()).toMatchObject({ version: 2, lastError: null })
  map.close()
  return requested
}

test('default: takes a diff where one leads to the newer map', async () => {
  files.set('/map/1-2', diffTo(2))
  expect(await refresh()).toEqual(['/map/latest', '/map/1-2'])
})

test('error: says why no map is loaded', async () => {
  const storage = {
    load: async () => ({ note: 'x', body: new Uint8Array(1), keys: [] }),
    save: async () => {},
  }
  const map = createMapClient({ url: service.url, storage })
  expect(map.get('https://api.example.com/')).toMatchObject({ detail: 'No map has been loaded.' })
  files.clear()
  await map.ready()
  expect(map.get('https://api.example.com/')).toMatchObject({
    state: 'unavailable',
    detail: `No map has been loaded. The map could not be fetched. The service at ${service.url} answered with status 404; is it a Touchstone service?`,
  })
  map.close()
  const elsewhere = createMapClient({ url: 'http://127.0.0.1:9' })
  await elsewhere.ready()
  expect(elsewhere.get('https://api.example.com/')).toMatchObject({
    detail:
      'No map has been loaded. The map could not be fetched. The service at http://127.0.0.1:9 did not answer.',
  })
  elsewhere.close()
})

test.each<[string, object, string]>([
  ['a short thumbprint', { jwksThumbprint: 'nCBu' }, 'jwksThumbprint: expected 43 characters.'],
  ['one of two', { jwksThumbprint: ['a'.repeat(43), ''] }, 'jwksThumbprint: expected 43 characters.'],
  ['a path', { storage: '/var/map' }, 'storage: expected createMapFile(path).'],
  ['half a storage', { storage: { load: async () => null } }, 'createMapFile(path)'],
])('error: refuses %s', (_, wrong, text) => {
  expect(() => createMapClient({ url: service.url, ...wrong })).toThrow(text)
})

test.each([
  ['missing', undefined],
  ['malformed', new Uint8Array(3)],
  ['of another version', diffTo(3)],
])('behavior: takes the whole map where the diff is %s', async (_, diff) => {
  if (diff !== undefined) files.set('/map/1-2', diff)
  expect(await refresh()).toEqual(['/map/latest', '/map/1-2', '/map/2'])
})
