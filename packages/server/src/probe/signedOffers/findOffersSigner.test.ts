import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { decodeChallenge, encodeBase64Json } from '@touchstone402/shared'
import {
  createOfferEIP712,
  createOfferJWS,
  type SignedOffer,
  signOfferEIP712,
} from '@x402/extensions/offer-receipt'
import fc from 'fast-check'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import {
  challengeV1,
  challengeV2,
  cleanUpAfterEach,
  RECEIVER,
  serve,
  start,
  target,
  USDC,
} from '../testing/harness.ts'
import { findOffersSigner } from './findOffersSigner.ts'

cleanUpAfterEach()

const URL_ASKED = 'https://shop.test/quote?city=Rome'
const NOW = Date.now()
const key = privateKeyToAccount(generatePrivateKey())
const other = privateKeyToAccount(generatePrivateKey())
const [entry] = challengeV2().accepts
if (entry === undefined) throw new Error('no entry')
const { payTo, asset, scheme, network, amount } = entry
const input = { acceptIndex: 0, scheme, network, asset, payTo, amount, offerValiditySeconds: 60 }

type Changes = Partial<typeof input>

/** Signs as the library of sellers does. */
const byAccount = (account: PrivateKeyAccount, changes: Changes = {}, url = URL_ASKED) =>
  createOfferEIP712(url, { ...input, ...changes }, (data) => account.signTypedData(data as never))

function byJws(secret: KeyObject, kid: string, alg: string, changes: Changes = {}, url = URL_ASKED) {
  const signText = (text: Uint8Array) =>
    sign(alg === 'EdDSA' ? null : 'sha256', text, { key: secret, dsaEncoding: 'ieee-p1363' }).toString(
      'base64url',
    )
  const signer = {
    format: 'jws',
    kid,
    algorithm: alg,
    sign: async (text: Uint8Array) => signText(text),
  } as const
  return createOfferJWS(url, { ...input, ...changes }, signer)
}

const didJwk = (jwk: JWK) => `did:jwk:${Buffer.from(JSON.stringify(jwk)).toString('base64url')}`

const withOffers = (offers: unknown, accepts: readonly object[] = challengeV2().accepts) => ({
  ...challengeV2(),
  accepts,
  extensions: { 'offer-receipt': { info: { offers } } },
})

function find(offers: unknown, { accepts, now = NOW }: { accepts?: readonly object[]; now?: number } = {}) {
  const header = encodeBase64Json(withOffers(offers, accepts))
  const challenge = decodeChallenge({ header, body: null })
  const readDocument = () => Promise.reject(new Error('nothing is to be read'))
  return findOffersSigner(challenge, { url: URL_ASKED, now, readDocument })
}

describe('findOffersSigner', () => {
  test('default: rule 16: names the key that signed every offer, in either format', async () => {
    expect(await find([await byAccount(key)])).toBe(`eip155:${key.address}`)
    const ed = generateKeyPairSync('ed25519')
    const edJwk = ed.publicKey.export({ format: 'jwk' }) as JWK
    expect(await find([await byJws(ed.privateKey, didJwk(edJwk), 'EdDSA')])).toBe(
      `jwk:${await calculateJwkThumbprint(edJwk)}`,
    )
    const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const p256Jwk = p256.publicKey.export({ format: 'jwk' }) as JWK
    expect(await find([await byJws(p256.privateKey, didJwk(p256Jwk), 'ES256')])).toMatch(/^jwk:/)
  })

  test('behavior: one secp256k1 key has one name in both formats', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
    const { d } = pair.privateKey.export({ format: 'jwk' })
    const account = privateKeyToAccount(`0x${Buffer.from(d ?? '', 'base64url').toString('hex')}`)
    const kid = didJwk(pair.publicKey.export({ format: 'jwk' }) as JWK)
    const accepts = [entry, { ...entry, amount: '20000' }]
    const offers = [
      await byJws(pair.privateKey, kid, 'ES256K'),
      await byAccount(account, { amount: '20000' }),
    ]
    expect(await find(offers, { accepts })).toBe(`eip155:${account.address}`)
  })

  test('behavior: receivers that are new for each payment have one signer', async () => {
    for (const receiver of [other.address, key.address]) {
      const accepts = [{ ...entry, payTo: receiver }]
      expect(await find([await byAccount(key, { payTo: receiver })], { accepts })).toBe(
        `eip155:${key.address}`,
      )
    }
  })

  test('behavior: the URL may differ in scheme and query, which a proxy or a library changes', async () => {
    for (const url of ['http://shop.test/quote', 'https://shop.test/quote?city=Oslo'])
      expect(await find([await byAccount(key, {}, url)])).toBe(`eip155:${key.address}`)
  })

  test('error: an offer that is not covered, or by another key, leaves no signer', async () => {
    const accepts = [entry, { ...entry, amount: '20000' }]
    const [first, second] = [await byAccount(key), await byAccount(other, { amount: '20000' })]
    expect(await find([first], { accepts })).toBeUndefined()
    expect(await find([first, second], { accepts })).toBeUndefined()
    expect(await find([first, await byAccount(key, { amount: '20000' })], { accepts })).toBeDefined()
    for (const none of [undefined, [], {}, 'x', [null, 7]]) expect(await find(none)).toBeUndefined()
  })

  test.each([
    ['another receiver', { payTo: other.address }],
    ['another amount', { amount: '1' }],
    ['another network', { network: 'eip155:137' }],
    ['another asset', { asset: RECEIVER }],
    ['another scheme', { scheme: 'upto' }],
  ])('error: a signed offer of %s signs nothing here', async (_, changes) => {
    expect(await find([await byAccount(key, changes)])).toBeUndefined()
  })

  test.each([
    ['another host', 'https://rival.test/quote'],
    ['another port', 'https://shop.test:8443/quote'],
    ['another path', 'https://shop.test/other'],
    ['no host', '/quote'],
  ])('error: rule 16, abuse: an offer that was signed for %s cannot be shown here', async (_, url) => {
    expect(await find([await byAccount(key, {}, url)])).toBeUndefined()
  })

  test('error: an offer that ended signs nothing, one without an end does', async () => {
    const signed = await byAccount(key)
    expect(await find([signed], { now: NOW + 120_000 })).toBeUndefined()
    const payload = { ...signed.payload, validUntil: 0 }
    const signature = await signOfferEIP712(payload, (data) => key.signTypedData(data as never))
    expect(await find([{ ...signed, payload, signature }])).toBe(`eip155:${key.address}`)
    // Its end cannot be changed afterwards.
    expect(await find([{ ...signed, payload }])).not.toBe(`eip155:${key.address}`)
  })

  test('error: a tampered, unsigned or wrongly signed JWS has no signer', async () => {
    const pair = generateKeyPairSync('ed25519')
    const jwk = pair.publicKey.export({ format: 'jwk' }) as JWK
    const kid = didJwk(jwk)
    const { signature } = await byJws(pair.privateKey, kid, 'EdDSA')
    const [head = '', body = '', end = ''] = signature.split('.')
    const headOf = (fields: object) => Buffer.from(JSON.stringify(fields)).toString('base64url')
    const stranger = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) as JWK
    for (const forged of [
      `${head}.${body}.${end.startsWith('A') ? 'B' : 'A'}${end.slice(1)}`,
      `${head}.${body}.`,
      `${headOf({ alg: 'none', kid })}.${body}.${end}`,
      `${headOf({ alg: 'HS256', kid })}.${body}.${end}`,
      `${headOf({ alg: 'ES256K', kid })}.${body}.${end}`,
      `${headOf({ alg: 'EdDSA', kid, crit: ['b64'] })}.${body}.${end}`,
      `${headOf({ alg: 'EdDSA', kid: didJwk(stranger) })}.${body}.${end}`,
      `${headOf({ alg: 'EdDSA', kid: 'did:web:rival.test' })}.${body}.${end}`,
      `${headOf({ alg: 'EdDSA', kid: 'did:key:z0OIl' })}.${body}.${end}`,
      'x'.repeat(100_000),
    ])
      expect(await find([{ format: 'jws', signature: forged }])).toBeUndefined()
  })

  test('behavior: never throws, and names no signer without a valid signature', async () => {
    const good = await byAccount(key)
    const field = fc.constantFrom('format', 'payload', 'signature')
    await fc.assert(
      fc.asyncProperty(field, fc.jsonValue(), async (name, value) => {
        fc.pre(JSON.stringify(value) !== JSON.stringify(good[name as keyof SignedOffer]))
        expect(await find([{ ...good, [name]: value }])).toBeUndefined()
      }),
    )
  })
})

describe('in a probe', () => {
  const pair = generateKeyPairSync('ed25519')
  const jwk = pair.publicKey.export({ format: 'jwk' }) as JWK

  /** Probes a seller that signs with a key of its own DID document. */
  async function ask(didOf: (host: string) => string, silent = false) {
    const paths: string[] = []
    const port = await serve(async (request, response) => {
      paths.push(request.url ?? '')
      const host = request.headers.host ?? ''
      const kid = `${didOf(host)}#key-1`
      if (request.url === '/.well-known/did.json')
        return silent
          ? undefined
          : response.end(JSON.stringify({ verificationMethod: [{ id: kid, publicKeyJwk: jwk }] }))
      const signed = await byJws(pair.privateKey, kid, 'EdDSA', {}, `http://${host}/quote`)
      return response.writeHead(402, { 'payment-required': encodeBase64Json(withOffers([signed])) }).end('{}')
    })
    const result = await start([port]).probe(target(`http://shop.test:${port}/quote`))
    return { result, paths }
  }
  const own = (host: string) => `did:web:${host.replace(':', '%3A')}`

  test('default: the key of a DID of the host is read under the address guard, once', async () => {
    const { result, paths } = await ask(own)
    expect(result).toMatchObject({
      outcome: 'up',
      offersSignedBy: `jwk:${await calculateJwkThumbprint(jwk)}`,
      offers: [{ payTo: RECEIVER, asset: USDC }],
    })
    expect(paths).toEqual(['/quote', '/.well-known/did.json'])
  })

  test.each([
    ['of another site', () => 'did:web:rival.test'],
    ['of an address', () => 'did:web:127.0.0.1'],
    ['that hides a host', (host: string) => `did:web:${host.replace(':', '%3A')}%2F..%40rival.test`],
  ])('error: a DID %s is not read', async (_, didOf) => {
    const { result, paths } = await ask(didOf)
    expect(result.outcome).toBe('up')
    expect(result).not.toHaveProperty('offersSignedBy')
    expect(paths).toEqual(['/quote'])
  })

  test('error: a DID document that never comes costs two seconds and no measurement', async () => {
    const startedAt = performance.now()
    const { result } = await ask(own, true)
    expect(result).toMatchObject({ outcome: 'up' })
    expect(result).not.toHaveProperty('offersSignedBy')
    expect(performance.now() - startedAt).toBeLessThan(8_000)
  })

  test('behavior: a v1 body is covered by the same signed offer, since terms are compared and not places', async () => {
    const signed = await byAccount(key)
    const challenge = decodeChallenge({
      header: encodeBase64Json(withOffers([signed])),
      body: JSON.stringify(challengeV1()),
    })
    expect(challenge.offers).toHaveLength(2)
    const options = { url: URL_ASKED, now: NOW, readDocument: async () => null }
    expect(await findOffersSigner(challenge, options)).toBe(`eip155:${key.address}`)
  })
})
