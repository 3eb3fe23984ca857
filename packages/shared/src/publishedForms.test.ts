import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BASE, BASE_USDC } from './networks.ts'
import { UNPAYABLE, whyUnpayable } from './payable.ts'
import { findUnpublished } from './publishedForms.ts'

const GATEWAY = '0x77777777Dcc4d5A8B6E418Fd04D8997ef11000eE'
const OTHER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const offer = (extra: Record<string, unknown>, scheme = 'exact', network: string = BASE) => ({
  scheme,
  network,
  asset: BASE_USDC,
  extra,
})

describe('findUnpublished', () => {
  test('default', () => {
    for (const extra of [
      {},
      { assetTransferMethod: null, paymentFlow: null },
      { assetTransferMethod: 'permit2', paymentFlow: 'upfront' },
      { verifyingContract: BASE_USDC.toLowerCase() },
      { verifyingContract: null },
      { name: 'GatewayWalletBatched', version: '1', verifyingContract: GATEWAY },
    ]) {
      expect(findUnpublished(offer(extra))).toBeNull()
    }
  })

  test('behavior: a field that is null is absent, unless the form needs it', () => {
    expect(findUnpublished(offer({ authCaptureEscrow: null }, 'auth-capture'))).toBeNull()
    const gateway = { name: 'GatewayWalletBatched', verifyingContract: null }
    expect(findUnpublished(offer(gateway))).toBe('verifyingContract')
  })

  test.each([
    ['a scheme that is not published', {}, 'subscription', 'subscription'],
    ['an approval', { assetTransferMethod: 'approve' }, 'exact', 'approve'],
    ['an allowance by permit', { assetTransferMethod: 'eip2612' }, 'exact', 'eip2612'],
    ['an escrow that exact does not have', { paymentFlow: 'escrow' }, 'exact', 'escrow'],
    ['upto by transfer authorization', { assetTransferMethod: 'eip3009' }, 'upto', 'eip3009'],
    ['a method that is no word', { assetTransferMethod: { a: 1 } }, 'exact', 'unreadable'],
    ['a domain of Permit2', { name: 'Permit2' }, 'exact', 'Permit2'],
    ['another contract than the asset', { verifyingContract: OTHER }, 'exact', 'verifyingContract'],
    [
      'a gateway that is not Circle’s',
      { name: 'GatewayWalletBatched', verifyingContract: OTHER },
      'exact',
      'verifyingContract',
    ],
    ['a gateway without a contract', { name: 'GatewayWalletBatched' }, 'exact', 'verifyingContract'],
    ['another escrow', { authCaptureEscrow: OTHER }, 'auth-capture', 'authCaptureEscrow'],
    ['a channel without a delay', {}, 'batch-settlement', 'withdrawDelay'],
    ['a channel locked for a year', { withdrawDelay: 31_536_000 }, 'batch-settlement', 'withdrawDelay'],
  ])('error: names %s', (_, extra, scheme, expected) => {
    expect(findUnpublished(offer(extra, scheme))).toBe(expected)
  })

  test('behavior: the methods of the facilitator of BNB Chain are published there alone, each for its scheme', () => {
    const found = (scheme: string, assetTransferMethod: string, network = 'eip155:56') =>
      findUnpublished(offer({ assetTransferMethod }, scheme, network))
    expect([found('exact', 'permit2-exact'), found('upto', 'permit2-upto')]).toEqual([null, null])
    expect(found('exact', 'permit2-upto')).toBe('permit2-upto')
    expect(found('exact', 'permit2-exact', BASE)).toBe('permit2-exact')
  })

  test('behavior: each network has its own transfer methods', () => {
    const found = (network: string, assetTransferMethod: string) =>
      findUnpublished(offer({ assetTransferMethod }, 'exact', network))
    expect([found('sui:mainnet', 'gasless'), found('xrpl:0', 'ticketSequence')]).toEqual([null, null])
    expect([found('sui:mainnet', 'permit2'), found('solana:5eykt', 'gasless')]).toEqual([
      'permit2',
      'gasless',
    ])
  })

  test('behavior: never throws, and answers with a word', () => {
    fc.assert(
      fc.property(fc.object(), fc.constantFrom('exact', 'upto', 'batch-settlement', 'x'), (extra, scheme) => {
        expect(findUnpublished(offer(extra, scheme)) ?? 'null').toMatch(/^[A-Za-z0-9_-]{1,32}$/)
      }),
    )
  })
})

describe('whyUnpayable', () => {
  test('default: the guard pays exact transfers by EIP-3009 on EVM networks', () => {
    expect(whyUnpayable(offer({}), true)).toBeNull()
    expect(
      whyUnpayable(offer({ assetTransferMethod: 'eip3009', paymentFlow: 'authorization' }), true),
    ).toBeNull()
  })

  test.each([
    ['network', offer({}, 'exact', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'), true],
    ['scheme', offer({}, 'upto'), true],
    ['gateway', offer({ name: 'GatewayWalletBatched' }), true],
    ['method', offer({ assetTransferMethod: 'permit2' }), true],
    ['flow', offer({ paymentFlow: 'upfront' }), true],
    ['asset', offer({}), false],
  ] as const)('behavior: says why it does not pay: %s', (reason, unpaid, paysAsset) => {
    expect(whyUnpayable(unpaid, paysAsset)).toBe(reason)
    expect(UNPAYABLE[reason]).toMatch(/^The guard .+\.$/)
  })
})
