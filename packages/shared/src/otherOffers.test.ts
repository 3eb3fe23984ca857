import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitAuthenticate } from './authenticate.ts'
import { encodeBase64Json } from './base64Json.ts'
import { readOtherOffers, writeChallenge } from './otherOffers.ts'
import { findProtocolConflict } from './protocolConflict.ts'
import { processorMs } from './testing/index.ts'
import { decodeChallenge } from './x402.ts'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const SELLER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const THIEF = `0x${'66'.repeat(20)}`

const url64 = (value: unknown) =>
  encodeBase64Json(value).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
const request = (change = {}) => ({
  amount: '1000',
  currency: USDC,
  recipient: SELLER,
  methodDetails: { chainId: 8453 },
  ...change,
})
const mpp = (change: Record<string, unknown> = {}, more = 'method="evm", intent="charge"') =>
  `Payment id="a", realm="api.example.com", ${more}, request="${url64(request(change))}", expires="2026-11-25T20:00:00Z"`

const readAuthenticate = (header: string) => ({
  offers: readOtherOffers(header),
  rest: splitAuthenticate(header).rest,
})

describe('readOtherOffers', () => {
  test('default: reads an MPP charge into the terms that every protocol has', () => {
    const { offers, rest } = readAuthenticate(mpp())
    expect(rest).toBeNull()
    expect(offers).toEqual([
      {
        protocol: 'mpp',
        method: 'evm',
        intent: 'charge',
        network: 'eip155:8453',
        asset: USDC,
        amountAtomic: '1000',
        payTo: SELLER,
        expiresAt: Date.UTC(2026, 10, 25, 20),
        raw: { params: expect.objectContaining({ id: 'a', realm: 'api.example.com' }), request: request() },
      },
    ])
  })

  test('behavior: reads several challenges of one header, and keeps other schemes between them', () => {
    const { offers, rest } = readAuthenticate(
      `Basic realm="a, \\"b\\"", ${mpp()}, Bearer realm = "x", error="invalid_token", Negotiate, ${mpp({}, 'method="tempo", intent="session"')}, LSAT macaroon="AGI=", invoice="lnbc10u1p", L402 token=abc`,
    )
    expect(offers.map(({ protocol, method, intent }) => [protocol, method, intent])).toEqual([
      ['mpp', 'evm', 'charge'],
      ['mpp', 'tempo', 'session'],
      ['l402', null, null],
      ['l402', null, null],
    ])
    expect(offers[2]?.raw.params).toEqual({ macaroon: 'AGI=', invoice: 'lnbc10u1p' })
    expect(rest).toBe('Basic realm="a, \\"b\\"", Bearer realm = "x", error="invalid_token", Negotiate')
  })

  test('behavior: what a protocol leaves open is null, never guessed', () => {
    const open = { network: null, asset: null, amountAtomic: null, payTo: null }
    const tempo = url64({ amount: '1', currency: SELLER })
    expect(
      readAuthenticate(`Payment id=a, method=tempo, intent=charge, request="${tempo}"`).offers,
    ).toMatchObject([{ ...open, method: 'tempo', asset: SELLER, amountAtomic: '1', expiresAt: null }])
    expect(readAuthenticate('Payment id="a", id="b", method="evm"').offers).toMatchObject([
      { ...open, method: null },
    ])
    const strange = request({
      amount: '1e3',
      recipient: 'me',
      currency: 5,
      methodDetails: { chainId: '8453' },
    })
    expect(
      readAuthenticate(`Payment method="evm", request="${url64(strange)}", expires="soon"`).offers,
    ).toMatchObject([{ ...open, intent: null, expiresAt: null }])
  })

  test('behavior: reads escapes of quoted strings, and writes them so that they are read equally', () => {
    const params = { id: 'a"b\\c', realm: 'é — 💳', description: 'x\ny' }
    const written = writeChallenge(params)
    expect([...written].every((char) => char <= 'ÿ' && char >= ' ')).toBe(true)
    expect(readAuthenticate(written).offers[0]?.raw.params).toEqual(params)
  })

  test('behavior: drops a scheme in whose text another reader may find a payment challenge', () => {
    expect(readAuthenticate('Basic realm="x, Payment id=y"').rest).toBeNull()
    expect(readAuthenticate('Basic realm="payment page"').rest).toBe('Basic realm="payment page"')
    expect(readAuthenticate('Basic realm="x').rest).toBe('Basic realm="x')
  })

  test('behavior: bounds what it reads', () => {
    expect(readAuthenticate(Array(1000).fill('Payment id=a').join()).offers).toHaveLength(32)
    expect(readAuthenticate(`Payment id="${'a'.repeat(70_000)}"`)).toMatchObject({
      offers: [{ protocol: 'mpp', method: null }],
      rest: null,
    })
    const long = `Payment method="evm", request="${'e'.repeat(17_000)}"`
    expect(readAuthenticate(long).offers[0]?.raw.request).toBeNull()
  })

  test('error: hostile headers neither throw nor take long', () => {
    const parts = [
      'Payment ',
      'L402',
      'a=',
      '"',
      '\\',
      ',',
      ' ',
      '=',
      'request="e30"',
      '\t',
      'Basic x=y',
      'é',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts)), (words) => {
        const { offers, rest } = readAuthenticate(words.join(''))
        for (const { raw } of offers) readAuthenticate(writeChallenge(raw.params))
        expect(rest ?? '').not.toMatch(/(payment|l402|lsat)\s+[\w-]+\s*=/i)
      }),
    )
    const took = processorMs(() => {
      for (const unit of [' ', '\\', '"', 'a', ',', '= ', 'a=" '])
        readAuthenticate(`Payment a=${unit.repeat(65_000 / unit.length - 20)}"x`)
    })
    expect(took).toBeLessThan(500)
  })
})

describe('findProtocolConflict', () => {
  const x402 = {
    scheme: 'exact',
    network: 'eip155:8453',
    asset: USDC,
    amount: '1000',
    payTo: SELLER,
    maxTimeoutSeconds: 60,
    extra: {},
  }
  const conflictWith = (authenticate: string, accepts: unknown[] = [x402]) =>
    findProtocolConflict(
      decodeChallenge({ header: encodeBase64Json({ x402Version: 2, accepts }), body: null, authenticate }),
    )

  test('default: equal terms by two protocols, as the stock server offers them, are no conflict', () => {
    expect(conflictWith(mpp())).toBeNull()
    expect(conflictWith(mpp({ amount: '5000' }), [x402, { ...x402, amount: '5000' }])).toBeNull()
  })

  test('behavior: finds another receiver or another amount of the same token', () => {
    expect(conflictWith(mpp({ recipient: THIEF }))?.differs).toEqual({ receiver: true, amount: false })
    expect(conflictWith(mpp({ amount: '900000' }))?.differs).toEqual({ receiver: false, amount: true })
  })

  test('behavior: compares prices in dollars across networks, where another receiver is usual', () => {
    const currency = '0x20c0000000000000000000000000000000000000'
    const tempo = (amount: string, intent = 'charge') =>
      mpp(
        { amount, currency, recipient: THIEF, methodDetails: { chainId: 4217 } },
        `method="tempo", intent="${intent}"`,
      )
    expect(conflictWith(tempo('1000'))).toBeNull()
    expect(conflictWith(tempo('900000'))?.differs).toEqual({ receiver: false, amount: true })
    expect(conflictWith(tempo('900000', 'session'))).toBeNull()
    expect(
      conflictWith(mpp({ amount: '50', currency: 'usd' }, 'method="stripe", intent="charge"')),
    ).toBeNull()
    expect(conflictWith('L402 macaroon="a", invoice="lnbc1"')).toBeNull()
    // A euro at the rate of the table proves no other price.
    const euro = { ...x402, asset: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42' }
    expect(conflictWith(tempo('1080'), [euro])).toBeNull()
    const arbitrum = { ...x402, network: 'eip155:42161', asset: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9' }
    expect(conflictWith(tempo('1000'), [arbitrum])).toBeNull()
    expect(conflictWith(tempo('1080'), [arbitrum])?.differs).toMatchObject({ amount: true })
  })
})
