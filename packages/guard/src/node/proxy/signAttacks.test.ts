import { afterEach, describe, expect, test, vi } from 'vitest'
import { createMemoryLedger } from '../../ledger/journal.ts'
import { reconcileLedger } from '../../ledger/reconcile.ts'
import { TOKEN, useProxyHarness } from '../../testing/proxyHarness.ts'
import {
  createRemoteSigner,
  headersOf,
  type Message,
  messageOf,
  nonceOf,
  type Signed,
} from '../../testing/remoteSigner.ts'

const harness = useProxyHarness()
afterEach(() => void vi.useRealTimers())

const TASKS = new Map([[TOKEN, { name: 'research', maxUsd: '0.03' }]])
const LIMITS = { velocity: { perHostPerMinute: 1000, identicalPerMinute: 1000 }, maxStrikes: 100 }

/** An agent with a token of `proxy --sign`, at a seller whose price is in the path: `/p/10000?1`. */
async function startAgent(seconds = 60) {
  const ledger = createMemoryLedger()
  const { seller } = harness
  seller.character.terms = ({ url = '' }) => {
    const [, amount = '10000'] = /^\/p\/(\d+)/.exec(url) ?? []
    return [{ amount, maxTimeoutSeconds: seconds }]
  }
  const proxy = await harness.start({
    signs: true,
    tasks: TASKS,
    policy: LIMITS,
    ledger,
    service: undefined,
    now: () => Date.now(),
  })
  const { address, sign, held } = await createRemoteSigner(proxy)
  const message = (nonce: string, change: Partial<Message> = {}) =>
    messageOf(address, nonce, { validBefore: String(Math.floor(Date.now() / 1000) + seconds), ...change })
  const present = (path: string, signed: Signed) => proxy.ask(path, { headers: headersOf(signed) })
  const pathOf = (amount: number, id: string | number) => `/${seller.url}/p/${amount}?${id}`
  /** What sellers can collect with what the agent holds: each nonce once, the most that was signed with it. */
  const collectable = () => {
    const most = new Map<string, bigint>()
    for (const { message } of held) {
      const nonce = message.nonce.toLowerCase()
      const value = BigInt(message.value)
      if (value > (most.get(nonce) ?? 0n)) most.set(nonce, value)
    }
    return [...most.values()].reduce((sum, one) => sum + one, 0n)
  }
  const spent = () => ledger.summary(Date.now()).tasks.get('research') ?? 0n
  return { proxy, ledger, message, sign, present, pathOf, held, collectable, spent }
}

const BAD = `0x${'11'.repeat(65)}`

/** An RPC endpoint of Base at the present, on which the given nonces are used. */
function useChain(used: string[]) {
  const hex = (value: number) => `0x${value.toString(16)}`
  return async (_: unknown, init?: RequestInit) => {
    const { method, params } = JSON.parse(String(init?.body))
    const results: Record<string, unknown> = {
      eth_chainId: '0x2105',
      eth_getBlockByNumber: {
        number: '0x1000',
        timestamp: hex(Math.floor(Date.now() / 1000) - 5),
        hash: `0x${'cd'.repeat(32)}`,
      },
      eth_getLogs: [],
    }
    const isUsed = () =>
      used.some((nonce) => params[0].data.toLowerCase().includes(nonce.slice(2).toLowerCase()))
    const result = method === 'eth_call' ? `0x${(isUsed() ? '1' : '0').padStart(64, '0')}` : results[method]
    return new Response(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  }
}

describe('covered: an agent that holds a token of --sign', () => {
  test('error: a nonce that is signed for two approvals covers both of them', async () => {
    const { proxy, sign, message, pathOf, collectable, spent } = await startAgent()
    vi.useFakeTimers({ toFake: ['Date'] })
    await proxy.ask(pathOf(7000, 'decoy'))
    await sign(message(nonceOf(1), { value: '7000' }))
    await proxy.ask(pathOf(20_000, 'b'))
    await sign(message(nonceOf(1), { value: '20000' }))
    // The second approval ends, and nothing is known of its signature. The seller has collected at once.
    vi.setSystemTime(Date.now() + 121_000)
    await proxy.ask(pathOf(1, 'other'))
    const isCovered = spent() - 1n >= collectable()
    expect({ isCovered, spent: spent() - 1n, collectable: collectable() }).toMatchObject({ isCovered: true })
  })

  test('error: a false signature that names the nonce of another approval opens it for no second signature', async () => {
    const { proxy, sign, message, present, pathOf, collectable, spent, held } = await startAgent()
    vi.useFakeTimers({ toFake: ['Date'] })
    for (const id of ['a', 'b', 'c']) await proxy.ask(pathOf(10_000, id))
    // 'a' gets three signatures: each false presentation at a decoy moves its mark away.
    await sign(message(nonceOf(1)))
    await present(pathOf(10_000, 'b'), { message: message(nonceOf(1)), signature: BAD })
    await sign(message(nonceOf(2)))
    await present(pathOf(10_000, 'c'), { message: message(nonceOf(2)), signature: BAD })
    await sign(message(nonceOf(3)))
    vi.setSystemTime(Date.now() + 121_000)
    await proxy.ask(pathOf(1, 'other'))
    const isCovered = spent() >= collectable()
    const facts = { isCovered, signatures: held.length, spent: spent(), collectable: collectable() }
    expect(facts).toMatchObject({ isCovered: true })
  })

  test('error: a nonce in other letters is the same nonce', async () => {
    const { proxy, ledger, sign, message, present, pathOf, spent } = await startAgent()
    vi.useFakeTimers({ toFake: ['Date'] })
    const [first, second] = [`0x${'a1'.repeat(32)}`, `0x${'b2'.repeat(32)}`]
    await proxy.ask(pathOf(10_000, 'a'))
    await sign(message(first))
    await proxy.ask(pathOf(10_000, 'b'))
    const signed = (await sign(message(second))) as Signed
    // The seller answers, and claims nothing.
    harness.seller.character.onPaid = (_, response) => void response.end('sunny')
    const shouted = { ...signed.message, nonce: `0x${second.slice(2).toUpperCase()}` }
    await present(pathOf(10_000, 'a'), { ...signed, message: shouted })
    const nonces = ledger.pending().map(({ authorization }) => authorization?.nonce.toLowerCase())
    // The seller collects the first, and never the second.
    vi.setSystemTime(Date.now() + 800_000)
    await reconcileLedger(ledger, {
      rpcUrls: { 'eip155:8453': 'http://rpc.example' },
      now: () => Date.now(),
      fetch: useChain([first]) as never,
    })
    expect({ isKnown: nonces.includes(first), spent: spent() }).toEqual({ isKnown: true, spent: 10_000n })
  })

  test('error: a false end, presented after it, does not free what can be collected longer', async () => {
    const { proxy, ledger, sign, message, present, pathOf, spent } = await startAgent(600)
    vi.useFakeTimers({ toFake: ['Date'] })
    await proxy.ask(pathOf(10_000, 'a'))
    const start = Math.floor(Date.now() / 1000)
    vi.setSystemTime((start + 110) * 1000)
    // Holds until 710 seconds after the start.
    await sign(message(nonceOf(1)))
    const sooner = message(nonceOf(1), { validBefore: String(start + 2) })
    await present(pathOf(10_000, 'a'), { message: sooner, signature: BAD })
    vi.setSystemTime((start + 610) * 1000)
    await reconcileLedger(ledger, {
      rpcUrls: { 'eip155:8453': 'http://rpc.example' },
      now: () => Date.now(),
      fetch: useChain([]) as never,
    })
    expect(spent()).toBe(10_000n)
  })

  test('behavior: an approval whose authorization went out for another call is released when it ends', async () => {
    const { proxy, sign, message, present, pathOf, spent, ledger } = await startAgent()
    vi.useFakeTimers({ toFake: ['Date'] })
    await proxy.ask(pathOf(10_000, 'a'))
    const signed = await sign(message(nonceOf(1)))
    await proxy.ask(pathOf(10_000, 'b'))
    const { status } = await present(pathOf(10_000, 'b'), signed as Signed)
    expect([status, ledger.pending().length]).toEqual([200, 0])
    vi.setSystemTime(Date.now() + 200_000)
    await proxy.ask(pathOf(1, 'other'))
    // One signature, of one cent.
    expect(spent() - 1n).toBe(10_000n)
  })
})
