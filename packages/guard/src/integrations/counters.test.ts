import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { describe, expect, test } from 'vitest'
import { createCountingAccount } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'
import { HONEST, THIEF } from '../testing/seller.ts'
import { termOf, USDC } from '../testing/service.ts'
import { createGuard } from './createGuard.ts'

describe('guard.counters', () => {
  const h = useHarness('@x402/fetch')

  test('default: starts at zero', () => {
    expect(h.setUp().guard.counters()).toMatchInlineSnapshot(`
      {
        "allowed": 0,
        "approved": 0,
        "asked": 0,
        "cacheHits": 0,
        "liveChecks": 0,
        "paid": 0,
        "refused": {},
        "settled": 0,
        "spent": [],
        "spentUsd": "0",
        "verdictFailures": 0,
        "verdictRequests": 0,
      }
    `)
  })

  test('default: counts payments, refusals by reason, verdicts and spending', async () => {
    h.know()
    const { pay, guard } = h.setUp()
    const url = `${h.seller.url}/weather?city=Oslo`
    for (let call = 0; call < 3; call++) await pay(url)
    const before = guard.counters()
    h.seller.character = { terms: [{ payTo: THIEF }] }
    for (let call = 0; call < 2; call++) await expect(pay(url)).rejects.toThrow()
    h.seller.character = { onPaid: (_, response) => response.writeHead(500).end() }
    await pay(url)
    h.service.fault = (_, response) => Boolean(response.writeHead(503).end())
    await expect(pay(`${h.seller.url}/other`)).rejects.toThrow()
    expect(guard.counters()).toEqual({
      allowed: 4,
      refused: { RECEIVER_NOT_CHECKED: 2, VERDICT_UNAVAILABLE: 1 },
      paid: 4,
      settled: 3,
      liveChecks: 0,
      asked: 0,
      approved: 0,
      verdictRequests: 2,
      verdictFailures: 1,
      cacheHits: 5,
      spentUsd: '0.04',
      spent: [{ network: 'eip155:8453', asset: USDC.toLowerCase(), amountAtomic: '40000' }],
    })
    // Later calls do not change the snapshot.
    expect(before).toMatchObject({ allowed: 3, refused: {}, spentUsd: '0.03' })
    const { host } = new URL(h.seller.url)
    for (const told of [host, 'city', HONEST, THIEF])
      expect(JSON.stringify(guard.counters())).not.toContain(told)
  })

  test('behavior: counts questions and approvals', async () => {
    h.know({ verdict: 'caution' })
    let isYes = true
    const { pay, guard } = h.setUp({ ask: () => isYes })
    await pay(`${h.seller.url}/weather`)
    isYes = false
    await expect(pay(`${h.seller.url}/weather`)).rejects.toThrow()
    expect(guard.counters()).toMatchObject({
      asked: 2,
      approved: 1,
      refused: { VERDICT_CAUTION: 1 },
      paid: 1,
    })
  })

  test('behavior: sends one verdict request for concurrent calls', async () => {
    h.know()
    const { pay, guard } = h.setUp()
    await Promise.all(Array.from({ length: 5 }, (_, call) => pay(`${h.seller.url}/weather?${call}`)))
    expect(guard.counters()).toMatchObject({ allowed: 5, paid: 5, verdictRequests: 1, cacheHits: 4 })
  })

  test('behavior: counts a payment once across integrations, and a payment of the outer integration', async () => {
    const terms = [termOf(HONEST, '10000')]
    h.know({ terms })
    const url = `${h.seller.url}/weather`
    const { account } = createCountingAccount()
    const setUp = () => {
      const guard = createGuard({ service: { url: h.service.url } })
      return { guard, client: registerExactEvmScheme(new x402Client(), { signer: guard.account(account) }) }
    }
    const all = setUp()
    await wrapFetchWithPayment(all.guard.fetch() as typeof fetch, all.guard.hooks(all.client))(url)
    expect(all.guard.counters()).toMatchObject({ allowed: 1, paid: 1, settled: 1 })
    const alone = setUp()
    const first = await fetch(url)
    await alone.guard.approve({ url, headers: first.headers, body: await first.json() })
    expect(alone.guard.counters()).toMatchObject({ allowed: 1, paid: 0 })
    await wrapFetchWithPayment(fetch, alone.client)(url)
    expect(alone.guard.counters()).toMatchObject({ allowed: 1, paid: 1, settled: 0, spentUsd: '0.01' })
  })
})
