import { describe, expect, test } from 'vitest'
import { CLIENT_NAMES, createCountingAccount, STOCK_CLIENTS } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'
import { HONEST, THIEF } from '../testing/seller.ts'

describe.each(CLIENT_NAMES)('observers under %s', (name) => {
  const h = useHarness(name)

  test('behavior: an observer that rejects or throws hurts nothing', async () => {
    h.know()
    for (const onDecision of [() => Promise.reject(new Error('down')), () => Promise.reject(), thrower]) {
      const { pay } = h.setUp({ onDecision })
      expect((await pay(`${h.seller.url}/weather`)).status).toBe(200)
    }
  })

  test('behavior: an answer to a payment below the guard is reported, and passes unchanged', async () => {
    const { account } = createCountingAccount()
    const { guard, pay } = h.setUp()
    const wrongWay = guard.fetch(STOCK_CLIENTS[name](fetch, account))
    const response = await wrongWay(`${h.seller.url}/weather?token=s3cret`)
    expect([response.status, await response.text()]).toEqual([200, '{"weather":"sunny"}'])
    expect(h.events).toMatchObject([{ type: 'unseen', endpoint: `${h.seller.url}/weather`, payment: null }])
    h.know()
    await pay(`${h.seller.url}/weather`)
    await guard.fetch(pay)(`${h.seller.url}/weather?2`)
    expect(h.events.filter(({ type }) => type === 'unseen')).toHaveLength(1)
  })

  test('behavior: events, policy, verdict and question are frozen', async () => {
    h.know({ verdict: 'caution' })
    const policy = { allowReceivers: [HONEST] }
    const { pay, guard, counter } = h.setUp({
      policy,
      onDecision: (event) => Object.assign(event.payment ?? {}, { payTo: THIEF }),
      ask({ intent, verdict }) {
        expect(() => Object.assign(intent, { payTo: THIEF })).toThrow(TypeError)
        expect(() => verdict?.terms.pop()).toThrow(TypeError)
        return true
      },
    })
    policy.allowReceivers.push(THIEF)
    expect(() => guard.policy.allowReceivers.push(THIEF)).toThrow(TypeError)
    expect((await pay(`${h.seller.url}/weather`)).status).toBe(200)
    h.seller.character = { terms: [{ payTo: THIEF }] }
    await expect(pay(`${h.seller.url}/weather?2`)).rejects.toMatchObject({ code: 'RECEIVER_NOT_ALLOWED' })
    expect(counter.signatures).toBe(1)
  })

  test('behavior: hides the query from errors and questions unless keepUrls is set', async () => {
    h.know({ verdict: 'caution' })
    const urls: string[] = []
    const ask = ({ intent }: { intent: { url: string } }) => urls.push(intent.url) > 99
    for (const keepUrls of [false, true]) {
      const { pay } = h.setUp({ ask, keepUrls })
      const error = await pay(`${h.seller.url}/weather?token=s3cret`).catch((reason: unknown) => reason)
      expect(JSON.stringify(error).includes('s3cret')).toBe(keepUrls)
    }
    expect(urls).toEqual([
      expect.stringMatching(/weather\?[0-9a-f]{16}$/),
      `${h.seller.url}/weather?token=s3cret`,
    ])
  })

  test('behavior: guard.verdict sends no query to the service', async () => {
    h.know()
    const { guard } = h.setUp()
    expect(await guard.verdict(`${h.seller.url}/weather?token=s3cret#x`)).toMatchObject({ state: 'signed' })
    expect(h.service.asked).toEqual([`${h.seller.url}/weather`])
    expect(await guard.verdict('nonsense')).toMatchObject({ state: 'unavailable' })
  })

  test('behavior: reads a flag of a later version by its declared risk', async () => {
    h.know({ verdict: 'caution', riskLevel: 'medium', flags: ['a_flag_of_tomorrow'] })
    const { pay } = h.setUp()
    const error = { code: 'VERDICT_CAUTION', flags: ['a_flag_of_tomorrow'] }
    await expect(pay(`${h.seller.url}/weather`)).rejects.toMatchObject(error)
  })

  test('behavior: reads headers once and refuses what is no HeadersInit', async () => {
    h.know()
    const { guard } = h.setUp()
    let reads = 0
    const headers = Object.defineProperty({}, 'x-kind', { enumerable: true, get: () => String(++reads) })
    const seen: unknown[] = []
    h.seller.character = { before: (request) => seen.push(request.headers['x-kind']) < 0 }
    await guard.fetch()(`${h.seller.url}/weather`, { headers: headers as HeadersInit })
    expect([reads, seen]).toEqual([1, ['1']])
    const bad = guard.fetch()(`${h.seller.url}/weather`, { headers: 'x-kind: 1' as never })
    await expect(bad).rejects.toMatchObject({ code: 'REQUEST_INVALID' })
  })
})

function thrower(): never {
  throw new Error('broken')
}
