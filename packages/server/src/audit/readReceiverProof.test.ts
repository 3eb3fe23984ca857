import { encodeBase64Json } from '@touchstone402/shared'
import { createTransferSource } from '@touchstone402/transfers'
import { placeWallet, useChain } from '@touchstone402/transfers/testing'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { receiverProofMessage } from '../facts/rotation.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { BASE, POLYGON, T0 } from '../judge/testing/facts.ts'
import { cleanUpAfterEach } from '../probe/testing/harness.ts'
import { readHostFacts } from '../store/facts.ts'
import { challengeFor, type Handler, startSeller } from './testing/startSeller.ts'

cleanUpAfterEach()

const receiver = privateKeyToAccount(`0x${'03'.repeat(32)}`)
const other = privateKeyToAccount(`0x${'04'.repeat(32)}`)

const payTo =
  (address: string): Handler =>
  (request, response) => {
    const challenge = challengeFor(request)
    const accepts = challenge.accepts.map((offer) => ({ ...offer, payTo: address }))
    const header = encodeBase64Json({ ...challenge, accepts })
    return response.writeHead(402, { 'payment-required': header }).end('{}')
  }

const inDays = (days: number) => new Date(T0 + days * DAY).toISOString()

type Statement = { host: string; network: string; expires: string; signer: typeof receiver; payTo: string }

/** Signs for a host, as a seller would publish it. */
async function statement({ host, network, expires, signer, payTo }: Statement): Promise<string> {
  const signature = await signer.signMessage({
    message: receiverProofMessage({ host, network, payTo, expires }),
  })
  return JSON.stringify({ receivers: [{ network, payTo, expires, signature }] })
}

async function startProven(changes: (host: string) => Partial<Statement> = () => ({})) {
  const started = await startSeller()
  const { seller, host } = started
  seller.quote = payTo(receiver.address)
  const honest = { host, network: BASE, expires: inDays(90), signer: receiver, payTo: receiver.address }
  seller.wellKnown = await statement({ ...honest, ...changes(host) })
  return started
}

test('default: a receiver that signed for the host adds two points until the proof expires', async () => {
  const { probe, store, host, seller } = await startProven()
  const { score } = await probe(HOUR)
  expect((await probe(HOUR)).scored.proof).toEqual({ delivered: false, signed: true })
  expect((await readHostFacts(store, host)).announcements).toMatchObject([
    { basis: 'receiver_proof', host, network: BASE, expiresAt: T0 + 90 * DAY },
  ])
  seller.wellKnown = ''
  // Later documents of the host do not revoke the signature before it expires.
  expect((await probe(2 * DAY)).scored.proof.signed).toBe(true)
  const expired = await probe(89 * DAY)
  expect(expired.scored.proof.signed).toBe(false)
  expect(score).toBe(75 + 2)
  expect((await probe(HOUR)).score).toBe(75 + 15)
})

test.each<[string, (host: string) => Partial<Statement>]>([
  ['copied from another host', () => ({ host: 'other.example' })],
  ['on another port of the host', (host) => ({ host: `${host}0` })],
  ['by another key', () => ({ signer: other })],
  ['for another receiver', () => ({ signer: other, payTo: other.address })],
  ['for another network', () => ({ network: POLYGON })],
  ['that expired', () => ({ expires: inDays(-1) })],
  ['that lasts over a year', () => ({ expires: inDays(400) })],
])('error: a statement %s is no proof', async (_, changes) => {
  const { probe, store, host } = await startProven(changes)
  await probe(HOUR)
  expect((await probe(HOUR)).scored.proof.signed).toBe(false)
  expect((await readHostFacts(store, host)).announcements).toEqual([])
})

test('behavior: a proof is of its own receiver alone, and announces no other', async () => {
  const { probe, seller } = await startProven()
  for (let probes = 0; probes < 3; probes++) await probe(12 * HOUR)
  seller.quote = payTo(other.address)
  let state = await probe(HOUR)
  for (let probes = 0; probes < 8; probes++) state = await probe(HOUR / 20)
  expect(state).toMatchObject({
    flags: ['payto_changed', 'unverifiable'],
    receiverStability: 'changed',
    payTo: other.address,
  })
  expect(state.scored.proof.signed).toBe(false)
})

const chain = await useChain()

describe('contracts', () => {
  const WALLET = '0x00000000000000000000000000000000000a11e7'
  const KEYLESS = '0x00000000000000000000000000000000000a11e8'

  /** Starts a seller that is paid at a contract wallet, on a real chain. */
  async function startWallet(changes: Partial<Statement> = {}) {
    await placeWallet(chain, WALLET, receiver.address)
    const source = createTransferSource({ chainId: 31337, urls: [chain.url], now: Date.now })
    const calls: string[] = []
    const started = await startSeller({
      request: ({ method, params, ...read }) => {
        calls.push(method)
        return source.request(method, params, read)
      },
    })
    const { seller, host } = started
    const terms = { host, network: BASE, expires: inDays(90), signer: receiver, payTo: WALLET, ...changes }
    seller.quote = payTo(terms.payTo)
    seller.wellKnown = await statement(terms)
    return { ...started, calls, stop: source.close }
  }

  test('default: a wallet contract that accepts the signature is proven (ERC-1271)', async () => {
    const { probe, calls, stop } = await startWallet()
    await probe(HOUR)
    expect((await probe(HOUR)).scored.proof.signed).toBe(true)
    await stop()
    // A proof that is known is not asked for again, and stands without a chain.
    expect((await probe(HOUR)).scored.proof.signed).toBe(true)
    expect(calls).toEqual(['eth_call'])
  })

  test.each<[string, Partial<Statement>]>([
    ['that the wallet does not accept', { signer: other }],
    ['for another host', { host: 'other.example' }],
    ['of an address without code', { payTo: KEYLESS }],
    ['of a precompile that answers with its input', { payTo: `0x${'4'.padStart(40, '0')}` }],
  ])('error: a signature %s is no proof', async (_, changes) => {
    const { probe, calls, stop } = await startWallet(changes)
    await probe(HOUR)
    expect((await probe(HOUR)).scored.proof.signed).toBe(false)
    expect(new Set(calls)).toEqual(new Set(['eth_call']))
    await stop()
  })

  test('error: without an answer of the chain nothing is proven', async () => {
    const { seller, host, probe } = await startSeller({ request: () => Promise.reject(new Error('down')) })
    seller.quote = payTo(WALLET)
    seller.wellKnown = await statement({
      host,
      network: BASE,
      expires: inDays(90),
      signer: receiver,
      payTo: WALLET,
    })
    await probe(HOUR)
    expect((await probe(HOUR)).scored.proof.signed).toBe(false)
  })
})
