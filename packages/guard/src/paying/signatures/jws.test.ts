import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { decodeBase64Json, encodeBase64Json } from '@touchstone402/shared'
import {
  createJWSOfferReceiptIssuer,
  createOfferReceiptExtension,
  declareOfferReceiptExtension,
  extractOffersFromPaymentRequired,
  type JWSSigner,
  verifyOfferSignatureJWS,
} from '@x402/extensions/offer-receipt'
import { hexToBytes } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, test } from 'vitest'
import type { GuardEvent } from '../../events.ts'
import { createGuard, type GuardOptions } from '../../integrations/createGuard.ts'
import { createCountingAccount, STOCK_CLIENTS } from '../../testing/clients.ts'
import { type StockSeller, startStockSeller } from '../../testing/stockSeller.ts'
import { readJws } from './jws.ts'

const receiver = privateKeyToAccount(generatePrivateKey())
const stranger = privateKeyToAccount(generatePrivateKey())
const ed25519 = generateKeyPairSync('ed25519')
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
function didKey(prefix: string, bytes: Uint8Array): string {
  let value = BigInt(`0x${prefix}${Buffer.from(bytes).toString('hex')}`)
  let id = ''
  for (; value > 0n; value /= 58n) id = `${ALPHABET[Number(value % 58n)]}${id}`
  return `did:key:z${id}`
}
const compress = (point: Uint8Array) => Uint8Array.of(2 + (Number(point[64]) & 1), ...point.subarray(1, 33))
const jwkOf = (key: KeyObject) => key.export({ format: 'jwk' })
const didJwk = (key: KeyObject) => `did:jwk:${Buffer.from(JSON.stringify(jwkOf(key))).toString('base64url')}`
const partOf = (key: KeyObject, name: 'x' | 'y') => Buffer.from(String(jwkOf(key)[name]), 'base64url')

const KIDS = {
  receiver: didKey('e701', compress(hexToBytes(receiver.publicKey))),
  stranger: didKey('e701', compress(hexToBytes(stranger.publicKey))),
  ed25519: didKey('ed01', partOf(ed25519.publicKey, 'x')),
  p256: didKey(
    '8024',
    compress(Buffer.concat([Buffer.of(4), partOf(p256.publicKey, 'x'), partOf(p256.publicKey, 'y')])),
  ),
}
const WEB = 'did:web:api.example.com#key-1'

const SIGNERS = {
  ES256K: async (by: typeof receiver, data: Uint8Array) => {
    const signature = await by.sign({ hash: `0x${createHash('sha256').update(data).digest('hex')}` })
    return Buffer.from(hexToBytes(signature).subarray(0, 64)).toString('base64url')
  },
  EdDSA: async (_: unknown, data: Uint8Array) => sign(null, data, ed25519.privateKey).toString('base64url'),
  ES256: async (_: unknown, data: Uint8Array) =>
    sign('sha256', data, { key: p256.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url'),
}

/** A signer of the stock server. */
const by = (algorithm: keyof typeof SIGNERS, kid: string, account = receiver): JWSSigner => ({
  kid,
  format: 'jws',
  algorithm,
  sign: (data) => SIGNERS[algorithm](account, data),
})

let seller: StockSeller
afterEach(() => seller?.stop())

/** Pays the stock server once. */
async function pay(signer: JWSSigner, options: GuardOptions = {}, query = '') {
  seller = await startStockSeller({
    declared: declareOfferReceiptExtension(),
    createExtensions: () => [createOfferReceiptExtension(createJWSOfferReceiptIssuer(signer.kid, signer))],
    payTo: receiver.address,
  })
  const events: GuardEvent[] = []
  const guard = createGuard({ onDecision: (event) => events.push(event), ...options })
  const response = await STOCK_CLIENTS['@x402/fetch'](
    guard.fetch(),
    createCountingAccount().account,
  )(`${seller.url}/weather${query}`)
  expect(response.status).toBe(200)
  const [allowed, settled] = events
  return { proof: allowed?.offerProof, receipt: settled?.receipt }
}

describe('offers and receipts in JWS of the stock server', () => {
  test('default: records what the key of the receiver has signed', async () => {
    const { proof, receipt } = await pay(by('ES256K', WEB))
    const signature = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]{86}$/)
    const resourceUrl = `${seller.url}/weather`
    expect(proof).toEqual({ signedBy: 'receiver', resourceUrl, signature, validUntil: expect.any(Number) })
    expect(proof?.validUntil).toBeGreaterThan(Date.now() / 1000)
    const { address: payer } = createCountingAccount().account
    const terms = { network: 'eip155:8453', payer, transaction: '' }
    expect(receipt).toEqual({
      signedBy: 'receiver',
      resourceUrl,
      signature,
      ...terms,
      issuedAt: expect.any(Number),
    })
  })

  test.each<[string, JWSSigner, string]>([
    ['the key of the receiver', by('ES256K', KIDS.receiver), 'receiver'],
    ['another key of its curve', by('ES256K', KIDS.stranger, stranger), 'key'],
    ['Ed25519', by('EdDSA', KIDS.ed25519), 'key'],
    ['P-256', by('ES256', KIDS.p256), 'key'],
    ['P-256 as a JWK', by('ES256', didJwk(p256.publicKey)), 'key'],
    ['Ed25519 as a JWK', by('EdDSA', `${didJwk(ed25519.publicKey)}#0`), 'key'],
  ])('behavior: verifies %s, as the stock client does', async (_, signer, signedBy) => {
    expect(await pay(signer)).toMatchObject({ proof: { signedBy }, receipt: { signedBy } })
    const challenge = await fetch(`${seller.url}/weather`)
    const [offer] = extractOffersFromPaymentRequired(
      decodeBase64Json(challenge.headers.get('PAYMENT-REQUIRED') ?? '') as never,
    )
    await expect(verifyOfferSignatureJWS(offer as never)).resolves.toMatchObject({ payTo: receiver.address })
  })

  test.each<[string, JWSSigner]>([
    ['a key that would have to be looked up', by('EdDSA', WEB)],
    ['another key than it states', by('ES256K', KIDS.stranger)],
    ['an unknown key', by('ES256K', WEB, stranger)],
    ['a key of another curve', by('EdDSA', KIDS.p256)],
    ['a key that is no point', by('ES256', didKey('8024', new Uint8Array(33).fill(5)))],
  ])('error: proves nothing by %s', async (_, signer) => {
    const { proof, receipt } = await pay(signer)
    expect([proof?.signedBy ?? 'other', receipt]).toEqual(['other', null])
  })

  test('behavior: hides the query that the payload repeats, unless the guard keeps URLs', async () => {
    const { proof, receipt } = await pay(by('ES256K', WEB), {}, '?city=Rome')
    for (const one of [proof, receipt]) {
      expect(one?.resourceUrl).toMatch(/\/weather\?[0-9a-f]{16}$/)
      expect(one?.signature).toMatch(/^[\w-]+\.\.[\w-]{86}$/)
    }
    await seller.stop()
    const kept = await pay(by('ES256K', WEB), { keepUrls: true }, '?city=Rome')
    expect(kept.receipt?.resourceUrl).toBe(`${seller.url}/weather?city=Rome`)
    expect(await readJws(kept.receipt?.signature ?? '')).toMatchObject({ payload: { version: 1 } })
  })
})

describe('readJws', () => {
  const write = async (header: object, payload: object = { version: 1 }) => {
    const encode = (value: object) => encodeBase64Json(value).replace(/=+$/, '')
    const input = `${encode(header)}.${encode(payload)}`
    return `${input}.${await SIGNERS.EdDSA(null, Buffer.from(input))}`
  }
  const jwk = jwkOf(ed25519.publicKey)

  test('behavior: takes the key of the header, if no other is named', async () => {
    const named = await readJws(await write({ alg: 'EdDSA', kid: KIDS.ed25519, jwk }))
    const alone = await readJws(await write({ alg: 'EdDSA', kid: WEB, jwk }))
    expect([named?.isByStatedKey, alone?.isByStatedKey]).toEqual([true, true])
    const { publicKey } = generateKeyPairSync('ed25519')
    const header = { alg: 'EdDSA', kid: KIDS.ed25519, jwk: jwkOf(publicKey) }
    expect(await readJws(await write(header))).toBeUndefined()
  })

  test.each<[string, object]>([
    ['no algorithm', { alg: 'none', jwk }],
    ['a secret as the key', { alg: 'HS256', jwk: { kty: 'oct', k: 'AAAA' } }],
    ['critical headers', { alg: 'EdDSA', jwk, crit: ['b64'] }],
    ['an unencoded payload', { alg: 'EdDSA', jwk, b64: false }],
    ['a property of objects as its algorithm', { alg: 'constructor', jwk }],
    ['an object without text as its algorithm', { alg: { toString: 1, valueOf: 1 }, jwk }],
  ])('error: does not read %s', async (_, header) => {
    expect(await readJws(await write(header))).toBeUndefined()
  })

  test('behavior: an object without text as the key id names no key', async () => {
    const text = await write({ alg: 'EdDSA', kid: { toString: 1, valueOf: 1 } })
    expect(await readJws(text)).toMatchObject({ isByStatedKey: false, addresses: [] })
  })

  test('error: a changed payload does not verify', async () => {
    const text = await write({ alg: 'EdDSA', jwk })
    const [header, , signature] = text.split('.')
    const payload = encodeBase64Json({ version: 2 }).replace(/=+$/, '')
    expect(await readJws(`${header}.${payload}.${signature}`)).toMatchObject({ isByStatedKey: false })
    expect(await readJws(`${text}.x`)).toBeUndefined()
  })
})
