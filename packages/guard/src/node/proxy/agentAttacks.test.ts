import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createMemoryLedger } from '../../ledger/journal.ts'
import { TOKEN, useProxyHarness } from '../../testing/proxyHarness.ts'
import { headersOf, type Signed } from '../../testing/remoteSigner.ts'
import { challenge, deliver, HONEST } from '../../testing/seller.ts'
import { termOf } from '../../testing/service.ts'
import { OTHER, startAgent, TASKS } from '../../testing/tokenAgents.ts'
import { createFileLedger } from '../fileLedger.ts'
import type { ProxyOptions } from './startProxy.ts'

const harness = useProxyHarness()
afterEach(() => {
  vi.useRealTimers()
  harness.service.paid = null
})

/** Lets the seller cost so much that a live check of half a cent is bought first. */
function needLiveCheck(): void {
  const { seller, service } = harness
  const terms = [termOf(HONEST, '50000')]
  const found = { verdict: 'safe' as const, receiverStability: 'new' as const, probes: 2, terms }
  service.decisions.clear()
  seller.character.terms = [{ amount: '50000' }]
  service.paid = async (request, response) => {
    if (request.headers['payment-signature'] === undefined)
      return challenge(service.url, { terms: [{ amount: '5000' }] }, request, response)
    deliver(
      response,
      JSON.stringify({ ...(await service.answer(`${seller.url}/weather`, found)), live: { probes: [] } }),
    )
  }
}

describe('told', () => {
  test('error: what an agent was given to sign is not reported as unsent', async () => {
    const { seller, service } = harness
    const terms = [termOf(HONEST, '10000', { method: 'POST' })]
    service.decisions.set(`${seller.url}/orders`, {
      verdict: 'safe',
      receiverStability: 'stable',
      probes: 9,
      terms,
    })
    const { ask, signNew } = await startAgent(harness)
    const path = `/${seller.url}/orders`
    await ask(path, { method: 'POST', body: 'a pencil' })
    const headers = headersOf((await signNew()) as Signed)
    const { text } = await ask(path, { method: 'POST', body: 'a gift card', headers })
    // The seller may have it by another way, as the answer to an equal call says.
    expect(JSON.parse(text)).toMatchObject({ code: 'OFFER_CHANGED', state: 'sent', paid: true })
  })

  test('error: the 402 for a signer names the live check that was bought', async () => {
    needLiveCheck()
    const ledger = createMemoryLedger()
    const { ask, weather } = await startAgent(harness, { ledger })
    const { status, headers } = await ask(weather)
    expect([status, ledger.totals().usdMicros]).toEqual([402, 55_000n])
    expect(headers).toMatchObject({ 'touchstone-live-check-usd': '0.005' })
  })
})

describe('told, of live checks', () => {
  test('error: one of two equal calls at once names the live check that they cost', async () => {
    needLiveCheck()
    const ledger = createMemoryLedger()
    const { ask, weather } = await harness.start({ ledger, tasks: TASKS })
    const answers = await Promise.all([ask(weather), ask(weather)])
    expect([answers.map(({ status }) => status), ledger.totals().usdMicros]).toEqual([[200, 200], 55_000n])
    const named = answers.flatMap(({ headers }) => headers['touchstone-live-check-usd'] ?? [])
    expect(named).toEqual(['0.005'])
  })
})

describe('apart', () => {
  test('error: a token that signs a nonce of another takes nothing from its payment', async () => {
    const ledger = createMemoryLedger()
    const { ask, weather, signAgain } = await startAgent(harness, { ledger })
    await ask(weather)
    await signAgain(TOKEN)
    const [before] = ledger.pending().map(({ agent, state }) => ({ agent, state }))
    await ask(weather, { headers: { 'Touchstone-Token': OTHER } })
    await signAgain(OTHER)
    expect(before).toEqual({ agent: 'research', state: 'handedOut' })
    expect(ledger.pending().map(({ agent, state }) => ({ agent, state }))).toContainEqual(before)
  })

  test('error: a token does not use up the calls that another may make in a minute', async () => {
    const { ask, weather } = await startAgent(harness, {
      policy: { velocity: { perHostPerMinute: 5, identicalPerMinute: 5 } },
    })
    // Nothing is signed.
    for (let nth = 0; nth < 5; nth++) await ask(weather, { headers: { 'Touchstone-Call-Key': `${nth}` } })
    const { headers } = await ask(weather, { headers: { 'Touchstone-Token': OTHER } })
    expect(headers['touchstone-code']).toBeUndefined()
  })
})

describe('room', () => {
  const startWithFile = async (change: Partial<ProxyOptions> = {}) => {
    const folder = await mkdtemp(join(tmpdir(), 'attack-'))
    const path = join(folder, 'ledger.jsonl')
    const ledger = await createFileLedger(path)
    onTestFinished(async () => {
      await ledger.close()
      await rm(folder, { recursive: true })
    })
    const text = async () => {
      await ledger.refresh()
      return readFile(path, 'utf8')
    }
    const lines = Object.assign(async () => (await text()).split('\n').filter(Boolean).length, {
      bytes: async () => (await text()).length,
    })
    return { proxy: await startAgent(harness, { ledger, ...change }), lines, path }
  }

  test('error: no line of the ledger holds a header of the agent', async () => {
    const { proxy, lines } = await startWithFile({ policy: { maxPerPaymentUsd: '0.001' }, signs: false })
    const { text } = await proxy.ask(proxy.weather, { headers: { traceparent: 'x'.repeat(10_000) } })
    expect([text.includes('OVER_PAYMENT_LIMIT'), await lines.bytes()]).toEqual([true, expect.any(Number)])
    expect(await lines.bytes()).toBeLessThan(5000)
  })

  test('error: no line of the ledger holds the call key of the agent', async () => {
    const { proxy, lines } = await startWithFile({ signs: false })
    const headers = { 'Touchstone-Call-Key': 'k'.repeat(20_000) }
    expect((await proxy.ask(proxy.weather, { headers })).status).toBe(200)
    expect(await lines.bytes()).toBeLessThan(10_000)
  })

  test('error: a verdict with a member that the guard does not know does not break the ledger', async () => {
    const { seller, service } = harness
    const terms = [{ ...termOf(HONEST, '10000'), medianAtomic: null }]
    const safe = { verdict: 'safe', receiverStability: 'stable', probes: 9, terms } as const
    service.decisions.set(`${seller.url}/weather`, safe)
    const { proxy, path } = await startWithFile({ signs: false })
    expect((await proxy.ask(proxy.weather)).status).toBe(200)
    await (await createFileLedger(path)).close()
  })

  test('error: answers with a receipt, which cost nothing, fill no ledger', async () => {
    const { seller } = harness
    seller.character.before = (_, response) => {
      deliver(response)
      return true
    }
    const { proxy, lines } = await startWithFile({ signs: false })
    for (let nth = 0; nth < 300; nth++) await proxy.ask(proxy.weather)
    expect(await lines()).toBeLessThan(100)
  })
})

describe('alive', () => {
  test('behavior: an approval of before a restart is released ten minutes after its end', async () => {
    const ledger = createMemoryLedger()
    vi.useFakeTimers({ toFake: ['Date'] })
    const first = await startAgent(harness, { ledger })
    await first.ask(first.weather)
    await first.stop()
    const second = await startAgent(harness, { ledger })
    vi.setSystemTime(Date.now() + 721_000)
    await second.ask(`${second.weather}?2`)
    expect(ledger.totals().usdMicros).toBe(10_000n)
  })
})
