import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { run, verdict } from '../testing/decisions.ts'
import { HONEST, type Terms, THIEF } from '../testing/seller.ts'
import { termOf, USDC } from '../testing/service.ts'

describe('decide', () => {
  test('behavior: never throws and never exceeds a limit for arbitrary input', () => {
    const usd = fc.constantFrom('0', '0.01', '0.05', '1', '5')
    const address = fc.constantFrom(HONEST, THIEF, USDC, 'x', '0x00')
    const offer = fc.record({
      amount: fc.oneof(fc.bigInt({ min: -1n, max: 10_000_000n }).map(String), fc.anything()),
      payTo: fc.oneof(address, fc.anything()),
      asset: fc.oneof(address, fc.anything()),
      network: fc.constantFrom('eip155:8453', 'eip155:84532', 'base', 'x'),
      scheme: fc.constantFrom('exact', 'upto', 'Exact'),
      maxTimeoutSeconds: fc.oneof(fc.constantFrom(60, 600, 601, -1, Number.NaN, '60'), fc.anything()),
      extra: fc.anything(),
    })
    const view = fc.record({ spentTotal: fc.bigInt(0n, 9_000_000n), spentDay: fc.bigInt(0n, 9_000_000n) })
    const state = fc.record({
      verdict: fc.constantFrom('safe' as const, 'caution' as const, 'avoid' as const, 'unknown' as const),
      riskLevel: fc.constantFrom('clean' as const, 'high' as const),
      receiverStability: fc.constantFrom('new' as const, 'stable' as const, 'changed' as const, null),
      probes: fc.nat(9),
      terms: fc.array(fc.constantFrom(termOf(HONEST, '50000'), termOf(THIEF, '900000')), { maxLength: 2 }),
    })
    let allowed = 0
    fc.assert(
      fc.property(
        fc.array(offer, { maxLength: 4 }),
        view,
        state,
        usd,
        usd,
        (offers, spent, change, one, day) => {
          const policy = { maxPerPaymentUsd: one, maxPerDayUsd: day, maxPerHostPerDayUsd: day }
          const given = { policy, state: verdict(change), view: spent }
          const accepts = offers as Terms[]
          const decision = run({ ...given, offers: accepts })
          if (decision.outcome !== 'allow') return
          allowed += 1
          const { offer, amount } = decision.chosen
          const micros = (text: string) => BigInt(Math.round(Number(text) * 1e6))
          expect(amount).toBeGreaterThan(0n)
          expect(amount).toBeLessThanOrEqual(micros(one))
          expect(amount + spent.spentDay).toBeLessThanOrEqual(micros(day))
          expect([offer.network, offer.asset, offer.scheme]).toEqual(['eip155:8453', USDC, 'exact'])
          expect(offer.maxTimeoutSeconds).toBeLessThanOrEqual(600)
          expect(['safe', 'unknown']).toContain(change.verdict)
          expect(change.riskLevel).not.toBe('high')
          if (change.terms.length > 0) expect(change.terms.map(({ payTo }) => payTo)).toContain(offer.payTo)
        },
      ),
      {
        examples: [
          [
            [
              {
                amount: '10000',
                payTo: HONEST,
                asset: USDC,
                network: 'eip155:8453',
                scheme: 'exact',
                maxTimeoutSeconds: 60,
                extra: {},
              },
            ],
            { spentTotal: 0n, spentDay: 0n },
            {
              verdict: 'safe',
              riskLevel: 'clean',
              receiverStability: 'stable',
              probes: 9,
              terms: [termOf(HONEST, '50000')],
            },
            '1',
            '5',
          ],
        ],
      },
    )
    expect(allowed).toBeGreaterThan(0)
  })
})
