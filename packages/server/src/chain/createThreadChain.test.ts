import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { MoneyError } from '@touchstone402/shared'
import { type Chain, type ChainOptions, createChain } from '@touchstone402/transfers'
import { ChainError, TokenError } from '@touchstone402/transfers/errors'
import { emit, placeEventToken, useChain } from '@touchstone402/transfers/testing'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { listen } from '../lib/listen.ts'
import { createThreadChain } from './createThreadChain.ts'

// Worker threads run the built script.
const BUILT = new URL('../../dist/chainThread.js', import.meta.url)
const TOKEN = `0x${'7'.repeat(40)}` as const
const NO_TOKEN = `0x${'8'.repeat(40)}` as const
const who = (n: number) => `0x${(n + 16).toString(16).padStart(40, '3')}` as const
const DAY_SECONDS = 86_400
const LIMITS = { processorMs: 5_000, waitMs: 60_000 }

const local = await useChain()
/** A UTC day that has ended on the chain. */
let date = ''

beforeAll(async () => {
  await placeEventToken(local, TOKEN)
  const { timestamp } = (await local.rpc('eth_getBlockByNumber', ['latest', false])) as { timestamp: string }
  const midnight = (Math.floor(Number(timestamp) / DAY_SECONDS) + 1) * DAY_SECONDS
  date = new Date(midnight * 1000).toISOString().slice(0, 10)
  await local.rpc('evm_setNextBlockTimestamp', [midnight + 60])
  await emit(local, TOKEN, [{ from: who(1), to: who(2), value: 7n }])
  await local.rpc('evm_setNextBlockTimestamp', [midnight + DAY_SECONDS])
  await emit(local, TOKEN, [
    { from: who(2), to: who(3), value: 2n ** 200n },
    { from: who(3), to: who(1), value: 5_000_000n },
  ])
  await local.rpc('anvil_mine', ['0x50', '0x1'])
})

type Opened = { readonly chain: Chain; readonly errors: string[]; readonly cold: string[] }

/** Opens a chain whose thread runs a script. */
async function open(changes: Partial<ChainOptions> = {}, script = BUILT, limits = LIMITS): Promise<Opened> {
  const errors: string[] = []
  const cold: string[] = []
  const folder = await mkdtemp(join(tmpdir(), 'thread-chain-'))
  const chain = createThreadChain(
    { chainId: 31337, urls: [local.url], folder, warmTokens: [], ...changes },
    { script, limits, heapMb: 256, onError: (error) => errors.push((error as Error).message) },
    (token, reason) => cold.push(`${token} ${reason}`),
  )
  onTestFinished(async () => {
    await chain.close()
    await rm(folder, { recursive: true })
  })
  return { chain, errors, cold }
}

/** Starts an RPC that answers nothing, and counts the requests that wait for it. */
async function startSilentRpc() {
  const waiting = new Set<unknown>()
  const server = createServer((request, response) => {
    waiting.add(request)
    response.once('close', () => waiting.delete(request))
  })
  const url = await listen(server, { host: '127.0.0.1', port: 0 }, 'a port')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url, waiting }
}

/** A script that does something at its first calls, in whichever thread, and answers later ones with their method. */
const failing = (times: number, does: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { appendFileSync, readFileSync } from 'node:fs'
      import { parentPort, workerData } from 'node:worker_threads'
      const file = workerData.folder + '/calls'
      parentPort.postMessage({ kind: 'loaded' })
      parentPort.on('message', ({ kind, id, name }) => {
        if (kind === 'finish') return parentPort.close()
        if (kind !== 'call') return
        appendFileSync(file, '.')
        if (readFileSync(file).length <= ${times}) { ${does} }
        else parentPort.postMessage({ kind: 'result', id, result: name })
      })
    `)}`,
  )

/** Depends on timing: the time of an answer, and the number of HTTP requests, since calls that meet share one. */
const TIMED = new Set(['ts', 'requests', 'requestsLeft'])

/** Leaves out what depends on timing. */
const untimed = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answer, (key, value) =>
      TIMED.has(key) ? null : typeof value === 'bigint' ? `${value}` : value,
    ),
  )

describe('createThreadChain', () => {
  test('default: returns what a chain in this thread returns', async () => {
    const { chain: threaded, errors } = await open()
    const folder = await mkdtemp(join(tmpdir(), 'own-chain-'))
    const own = createChain({ chainId: 31337, urls: [local.url], folder, warmTokens: [] }, () => {})
    onTestFinished(async () => {
      await own.close()
      await rm(folder, { recursive: true })
    })
    expect([threaded.chainId, threaded.hosts]).toEqual([own.chainId, own.hosts])
    const { latest } = await own.heads({})
    const range = { token: TOKEN, fromBlock: 0, toBlock: latest.number }
    const deadlineAt = Date.now() + 60_000
    const reads: ((chain: Chain) => Promise<unknown>)[] = [
      ({ heads }) => heads({ fresh: true, deadlineAt }),
      ({ blockAtOrBefore }) => blockAtOrBefore({ time: latest.time - 1 }),
      ({ blockTimes }) => blockTimes({ blocks: [1, latest.number] }),
      ({ payments }) => payments({ ...range, minValue: 6n, limit: 10 }),
      ({ payments }) => payments({ ...range, from: who(3), to: who(1), maxValue: 5_000_000n, limit: 1 }),
      ({ profile }) =>
        profile({ token: TOKEN, receiver: who(3), historyDays: 1, ignoredPayers: new Set([who(9)]) }),
      ({ request }) => request({ method: 'eth_chainId', params: [] }),
      ({ requestOf }) => requestOf({ method: 'eth_getCode', params: [TOKEN, 'latest'], rpc: 0, deadlineAt }),
      ({ day }) => day({ token: TOKEN, date, requests: 500 }),
      ({ day }) => day({ token: NO_TOKEN, date, requests: 500 }),
      ({ pulse }) => pulse({ token: TOKEN }),
      ({ whales }) => whales({ token: TOKEN, window: '24h', min: '1' }),
      ({ flow }) => flow({ token: TOKEN, partial: true }),
      ({ momentum }) => momentum({ token: TOKEN }),
      ({ counts }) => counts({}),
    ]
    // Both have read the heads once.
    await threaded.heads({})
    for (const read of reads) {
      const [said, expected] = [await read(threaded), await read(own)]
      expect(untimed(said)).toEqual(untimed(expected))
    }
    expect(await threaded.blockTimes({ blocks: [1] })).toBeInstanceOf(Map)
    const [payment] = await threaded.payments({ ...range, limit: 1 })
    expect(payment?.value).toBe(7n)
    const { answers, requestsLeft } = await threaded.day({ token: TOKEN, date, requests: 500 })
    expect(answers?.pulse.transfers).toBe(1)
    expect(requestsLeft).toBeLessThan(500)
    expect(errors).toEqual([])
  })

  test('error: errors keep their class and code', async () => {
    const { chain } = await open()
    const errorOf = (read: Promise<unknown>) => read.catch((error: unknown) => error)
    const none = await errorOf(chain.flow({ token: NO_TOKEN }))
    expect(none).toBeInstanceOf(TokenError)
    expect(none).toMatchObject({ code: 'not_a_contract' })
    const fine = await errorOf(chain.whales({ token: TOKEN, min: `0.${'0'.repeat(18)}1` }))
    expect(fine).toBeInstanceOf(MoneyError)
    const late = await errorOf(chain.pulse({ token: TOKEN, deadlineAt: Date.now() - 1 }))
    expect(late).toBeInstanceOf(ChainError)
    expect(late).toMatchObject({ name: 'ChainError', code: 'deadline' })
    await expect(chain.requestOf({ method: 'eth_chainId', params: [], rpc: 1 })).rejects.toThrow(
      'There is no RPC 1',
    )
  })

  test('error: tells which tokens cannot be kept warm', async () => {
    const { chain, cold } = await open({ chainId: 1, warmTokens: [TOKEN] })
    await expect(chain.heads({})).rejects.toMatchObject({ code: 'disagreement' })
    await expect.poll(() => cold).toEqual([`${TOKEN} RPC 0 is on chain 31337, not 1`])
  })
})

describe('a thread that ends', () => {
  test('behavior: its reads are asked again, but for days, whose requests it may have used', async () => {
    const { chain, errors } = await open({}, failing(1, 'setTimeout(() => process.exit(1), 50)'))
    const day = chain.day({ token: TOKEN, date, requests: 500 })
    const others = Promise.all([chain.heads({}), chain.pulse({ token: TOKEN })])
    await expect(day).rejects.toMatchObject({
      name: 'ChainError',
      code: 'unreachable',
      message: 'The chain cannot be read: The thread ended with code 1',
    })
    expect(await others).toEqual(['heads', 'pulse'])
    expect(errors).toEqual(['The thread ended with code 1'])
  })

  test('error: a read that ends two threads is not asked again', async () => {
    const { chain, errors } = await open({}, failing(2, 'throw new Error("bad")'))
    const failed = await chain.flow({ token: TOKEN }).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(ChainError)
    expect(failed).toMatchObject({ code: 'unreachable', message: expect.stringContaining('bad') })
    expect(errors).toEqual(['bad', 'bad'])
    await sleep(1000)
    expect(await chain.flow({ token: TOKEN })).toBe('flow')
  })

  test('behavior: one that hangs is replaced once a call to an RPC is open after its deadline', async () => {
    const { chain, errors } = await open({}, failing(1, 'for (;;);'), { processorMs: 20, waitMs: 60_000 })
    const flow = chain.flow({ token: TOKEN, deadlineAt: Date.now() + 10 })
    const call = chain.requestOf({ method: 'eth_chainId', params: [], rpc: 0, deadlineAt: Date.now() + 10 })
    expect(await Promise.all([flow, call])).toEqual(['flow', 'requestOf'])
    expect(errors).toEqual(['The work took more than 20 ms of processor time; the thread was terminated'])
  })

  test('error: no thread can be started', async () => {
    // The Worker constructor throws, as it does when the system is out of threads.
    const { chain } = await open({}, new URL('http://127.0.0.1/'))
    await expect(chain.heads({})).rejects.toMatchObject({ name: 'ChainError', code: 'unreachable' })
  })
})

describe('a read that is given up', () => {
  test('behavior: a caller that gives up ends its requests, and no others', async () => {
    const rpc = await startSilentRpc()
    const { chain } = await open({ urls: [rpc.url] })
    const caller = new AbortController()
    const { signal } = caller
    const request = { method: 'eth_blockNumber', params: [], rpc: 0 }
    const given = chain.requestOf({ ...request, signal })
    const other = chain.requestOf({ ...request, deadlineAt: Date.now() + 2000 })
    await expect.poll(() => rpc.waiting.size).toBe(2)
    caller.abort()
    await expect(given).rejects.toMatchObject({ code: 'deadline', message: 'The caller aborted' })
    await expect.poll(() => rpc.waiting.size).toBe(1)
    await expect(other).rejects.toMatchObject({
      code: 'deadline',
      message: 'The RPC did not answer before the deadline',
    })
    await expect(chain.heads({ signal })).rejects.toMatchObject({ code: 'deadline' })
  })

  test('behavior: a caller that gives up does not wait for a thread that hangs', async () => {
    const { chain } = await open(
      {},
      failing(1, 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000)'),
    )
    const started = performance.now()
    const read = chain.flow({ token: TOKEN, signal: AbortSignal.timeout(100) })
    await expect(read).rejects.toMatchObject({ code: 'deadline' })
    expect(performance.now() - started).toBeLessThan(2500)
  })

  test('behavior: closing ends open reads, and refuses later ones', async () => {
    const rpc = await startSilentRpc()
    const { chain, errors } = await open({ urls: [rpc.url] })
    const reads = [chain.heads({}), chain.flow({ token: TOKEN })]
    await expect.poll(() => rpc.waiting.size).toBeGreaterThan(0)
    const ends = Promise.allSettled(reads)
    await chain.close()
    const closed = { status: 'rejected', reason: { code: 'deadline', message: 'The chain is closed' } }
    expect(await ends).toMatchObject([closed, closed])
    await expect(chain.counts({})).rejects.toMatchObject(closed.reason)
    await expect.poll(() => rpc.waiting.size).toBe(0)
    expect(errors).toEqual([])
  })
})
