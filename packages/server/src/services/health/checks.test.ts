import { tmpdir } from 'node:os'
import { writeMapHeader } from '@touchstone402/shared/map'
import { createRpcCounts, type RpcQuery } from '@touchstone402/transfers'
import {
  createCosigner,
  formatCheckpoint,
  formatSignerKey,
  formatVerifierKey,
  parseSignerKey,
  publicKeyOf,
  signNote,
} from '@touchstone402/transparency'
import type { LogHead } from '@touchstone402/transparency/publisher'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { DAY, HOUR, MINUTE } from '../../facts/times.ts'
import { noteRefusal } from '../../log/logState.ts'
import { publishMapFiles } from '../../store/documents.ts'
import { readDue } from '../../store/leases.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'
import { aState } from '../../store/testing/documents.ts'
import { aListing, NOON } from '../../store/testing/records.ts'
import { withReads, withUnits } from '../../store/testing/withFaults.ts'
import { checkChain } from './checkChain.ts'
import { checkClock } from './checkClock.ts'
import { checkCrawl, checkDirectories } from './checkCrawl.ts'
import { watchFacilitator } from './checkFacilitator.ts'
import { checkLog } from './checkLog.ts'
import { checkMap } from './checkMap.ts'
import { checkStore } from './checkStore.ts'

const store = createMemoryStore()
const now = () => NOON

test('default: the store is written and read back', async () => {
  const check = checkStore({ store, now, dataDir: tmpdir(), isInFolder: false })
  expect((await check.run()).level).not.toBe('down')
  const broken = withUnits(store, { putDocument: () => Promise.reject(new Error('disk full')) })
  await expect(
    checkStore({ store: broken, now, dataDir: tmpdir(), isInFolder: true }).run(),
  ).rejects.toThrow()
  const forgetful = withUnits(store, { putDocument: async () => {} })
  const lost = await checkStore({ store: forgetful, now, dataDir: tmpdir(), isInFolder: true }).run()
  expect(lost).toMatchObject({ level: 'down', status: 'unavailable' })
})

/** An RPC that answers with a chain and a head of an age, or not at all. */
function anRpc(host: string, chainId: number | null, ageMs = 0) {
  const asked: string[] = []
  const rpc = { chainId, ageMs, failures: 0 }
  const call = async (method: string) => {
    asked.push(method)
    if (rpc.chainId === null) {
      rpc.failures++
      throw new Error('RPC 0 refused eth_chainId: HTTP 429')
    }
    if (method === 'eth_chainId') return `0x${rpc.chainId.toString(16)}`
    return { number: '0x10', timestamp: `0x${((NOON - rpc.ageMs) / 1000).toString(16)}` }
  }
  return { rpc, asked, host, call, requests: () => asked.length, failures: () => rpc.failures }
}
const checkOf = (...rpcs: ReturnType<typeof anRpc>[]) => {
  const counts = async () => ({
    rpcs: rpcs.map(({ requests, failures }) => ({ requests: requests(), failures: failures() })),
    byPurpose: createRpcCounts().totals(),
  })
  const requestOf = async ({ rpc, method }: RpcQuery & { readonly rpc: number }) => rpcs[rpc]?.call(method)
  const hosts = rpcs.map(({ host }) => host)
  return checkChain({ chain: { chainId: 8453, hosts, requestOf, counts }, now })
}
const probeAt = (...rpcs: ReturnType<typeof anRpc>[]) => checkOf(...rpcs).run()

test('default: the chain is right, answers, and goes on', async () => {
  expect(await probeAt(anRpc('a', 8453))).toEqual({ level: 'ok', status: 'ok' })
  expect(await probeAt(anRpc('a', 8453), anRpc('a', 1))).toMatchObject({
    level: 'degraded',
    status: 'wrong chain',
    sentence: 'RPC a (2) is on chain 1, not 8453',
  })
  expect(await probeAt(anRpc('a', null))).toEqual({
    level: 'degraded',
    status: 'unreachable',
    sentence: 'no RPC answers (a: RPC 0 refused eth_chainId: HTTP 429)',
  })
})

test('behavior: one of several RPCs that fails only impairs the chain', async () => {
  const partly = { level: 'impaired', status: 'partly unreachable' }
  expect(await probeAt(anRpc('a', 8453), anRpc('b', null))).toMatchObject(partly)
  expect(await probeAt(anRpc('a', null), anRpc('b', 8453))).toMatchObject(partly)
})

test('behavior: the head of the RPC that is read must be as fresh as payments want it', async () => {
  const old = { level: 'degraded', status: 'head is old' }
  expect(await probeAt(anRpc('a', 8453, 59_000))).toMatchObject({ level: 'ok' })
  // Payments do not turn to another RPC while the preferred one answers.
  expect(await probeAt(anRpc('a', 8453, 61_000), anRpc('b', 8453))).toMatchObject({
    ...old,
    sentence:
      "the newest block of RPC a is 61 s old: it is behind, or this machine's clock is ahead; paid calls that wait for the chain are refused",
  })
  expect(await probeAt(anRpc('a', null), anRpc('b', 8453, 61_000))).toMatchObject(old)
  expect(await probeAt(anRpc('a', 8453), anRpc('b', 8453, HOUR))).toMatchObject({ level: 'ok' })
})

test('behavior: asks for chains, and fallbacks that are not in use, every ten minutes', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const [first, second] = [anRpc('a', 8453), anRpc('b', 8453)]
  const check = checkOf(first, second)
  const runs = async (times: number) => {
    for (const { asked } of [first, second]) asked.length = 0
    for (let time = 0; time < times; time++) {
      await check.run()
      vi.advanceTimersByTime(15_000)
    }
    return [first.asked, second.asked].map((asked) => [
      asked.filter((method) => method === 'eth_chainId').length,
      asked.filter((method) => method === 'eth_getBlockByNumber').length,
    ])
  }
  expect(await runs(40)).toEqual([
    [1, 40],
    [1, 1],
  ])
  expect(await runs(1)).toEqual([
    [1, 1],
    [1, 1],
  ])
  // A fallback is in use while the preferred one fails, or is old.
  first.rpc.ageMs = HOUR
  expect(await runs(3)).toEqual([
    [0, 3],
    [0, 3],
  ])
  first.rpc.chainId = null
  expect((await runs(3))[1]).toEqual([0, 3])
  first.rpc.chainId = 1
  vi.advanceTimersByTime(10 * MINUTE)
  expect(await check.run()).toMatchObject({ status: 'wrong chain' })
})

test('behavior: more than half of the calls fail while the check itself is answered', async () => {
  const rpc = anRpc('a', 8453)
  const failing = { ...rpc, requests: () => 40 + rpc.requests(), failures: () => 30 }
  expect(await probeAt(failing)).toMatchObject({
    level: 'degraded',
    status: 'calls fail',
    sentence: '71 % of the calls to RPC a failed within five minutes',
  })
  expect(await probeAt(failing, anRpc('b', 8453))).toMatchObject({ level: 'impaired', status: 'calls fail' })
})

test('error: refuses an RPC on another chain by its host, and none that does not answer', async () => {
  const wrong = checkOf(anRpc('rpc.example', 1))
  await wrong.run()
  expect(() => wrong.refuseWrongChain()).toThrow(
    'RPC_URLS: rpc.example is on chain eip155:1, not on eip155:8453 (NETWORK)',
  )
  const silent = checkOf(anRpc('rpc.example', null))
  await silent.run()
  silent.refuseWrongChain()
})

test('behavior: the facilitator fails by its own word, or by most of at least three calls in ten minutes', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const kinds = [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }]
  let kind = 'unavailable'
  const supported = async () => kinds
  const settle = async () => ({ kind: 'settled', txHash: '0x' }) as const
  const verify = async () => ({ kind, cause: new Error('HTTP 502') }) as never
  const { facilitator, check } = watchFacilitator(
    { url: 'http://f.example', verify, settle, supported },
    'eip155:8453',
  )
  const call = { payload: { x402Version: 2 }, requirements: {} } as const
  const verifyAs = async (outcome: string, times: number) => {
    kind = outcome
    for (let time = 0; time < times; time++) await facilitator.verify(call)
    return check.run()
  }
  expect(await check.run()).toEqual({ level: 'ok', status: 'ok' })
  expect(await verifyAs('unavailable', 2)).toMatchObject({ status: 'ok' })
  expect(await verifyAs('unavailable', 1)).toMatchObject({
    status: 'verify fails',
    sentence: '3 of 3 verify calls failed within ten minutes: HTTP 502',
  })
  await facilitator.settle(call)
  expect(await verifyAs('invalid', 1)).toMatchObject({ status: 'verify fails' })
  expect(await verifyAs('valid', 2)).toMatchObject({ status: 'ok' })
  vi.advanceTimersByTime(5 * MINUTE)
  expect(await verifyAs('unavailable', 1)).toMatchObject({ status: 'verify fails' })
  vi.advanceTimersByTime(6 * MINUTE)
  expect(await check.run()).toMatchObject({ status: 'ok' })
  kinds.length = 0
  expect(await check.run()).toMatchObject({ status: 'unsuitable' })
})

test('behavior: tells a fresh crawl from one that is stale, behind or failing', async () => {
  const crawled = createMemoryStore()
  const state = { endpoint: 'https://a.example/a', derivedAt: NOON, nextProbeAt: NOON + HOUR }
  const directories = { read: 1, failed: 0, reading: 0 }
  const at = (time: number, failingSince: number | null = null) =>
    checkCrawl({ store: crawled, progress: () => ({ failingSince, directories }), now: () => time }).run()
  expect(await at(NOON)).toMatchObject({ level: 'ok', status: 'nothing probed yet' })
  await crawled.write('putEndpoint', aState(state))
  expect(await at(NOON + HOUR)).toMatchObject({ level: 'ok', status: 'fresh' })
  expect(await at(NOON + 2 * HOUR + 1)).toMatchObject({ status: 'behind' })
  expect(await at(NOON + 6 * HOUR + 1)).toMatchObject({ status: 'stale' })
  expect(await at(NOON, NOON)).toMatchObject({ level: 'degraded', status: 'failing' })
})

describe('checkDirectories', () => {
  const run = (
    directories: { read: number; failed: number; reading: number },
    { isAlone = true, configured = 2 } = {},
  ) =>
    checkDirectories({
      progress: () => ({ failingSince: null, directories }),
      configured,
      isAlone,
    })
  const none = { read: 0, failed: 0, reading: 0 }

  test('default: counts the directories of the settings', async () => {
    expect(await run({ read: 2, failed: 0, reading: 0 }).run()).toEqual({ level: 'ok', status: 'ok' })
    const sentence = (count: string) =>
      `${count} could not be read, or list nothing that can be used; their earlier listings stay`
    const failing = { level: 'degraded', status: 'failing' }
    expect(await run({ read: 1, failed: 1, reading: 0 }).run()).toEqual({
      ...failing,
      sentence: sentence('1 of 2'),
    })
    expect(await run({ read: 0, failed: 2, reading: 1 }).run()).toEqual({
      ...failing,
      sentence: sentence('2 of 2'),
    })
    expect(await run(none, { configured: 0 }).run()).toEqual({ level: 'ok', status: 'none configured' })
  })

  test('behavior: a process that is alone reads its own directories, and says so', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const progress = { ...none }
    const check = run(progress)
    expect(await check.run()).toEqual({ level: 'ok', status: 'not read yet' })
    vi.advanceTimersByTime(2 * MINUTE)
    expect(await check.run()).toMatchObject({
      level: 'degraded',
      status: 'not read',
      sentence: expect.stringMatching(/^none was read since the start/),
    })
    progress.reading = 1
    expect(await check.run()).toEqual({ level: 'ok', status: 'being read' })
  })

  test('behavior: of several processes one reads them', async () => {
    expect(await run(none, { isAlone: false }).run()).toEqual({
      level: 'ok',
      status: 'not read by this process',
    })
  })
})

test('behavior: a crawl that has probed nothing is behind with what it lists, or stale', async () => {
  const empty = createMemoryStore()
  let time = NOON
  const progress = () => ({ failingSince: null, directories: { read: 1, failed: 0, reading: 0 } })
  const check = checkCrawl({ store: empty, progress, now: () => time })
  time = NOON + 6 * HOUR
  expect(await check.run()).toMatchObject({ level: 'ok', status: 'nothing probed yet' })
  time++
  expect(await check.run()).toMatchObject({
    level: 'degraded',
    status: 'stale',
    sentence: expect.stringMatching(/^nothing was ever probed/),
  })
  await empty.write('append', [aListing({ at: NOON })])
  time = NOON + HOUR
  expect(await check.run()).toMatchObject({ level: 'ok' })
  time++
  expect(await check.run()).toMatchObject({ level: 'degraded', status: 'behind' })
})

test('behavior: names the witness without a cosignature of the last hour', async () => {
  const seed = new Uint8Array(32).fill(7)
  const key = formatVerifierKey('w.example', await publicKeyOf(seed), 0x04)
  const signer = await parseSignerKey(await formatSignerKey('t.example/log', new Uint8Array(32).fill(1)))
  const checkpoint = formatCheckpoint({ origin: signer.name, size: 1, root: new Uint8Array(32) })
  const aHead = async (...signers: Parameters<typeof signNote>[1]): Promise<LogHead> => ({
    note: await signNote(checkpoint, [signer, ...signers]),
    size: 1,
    at: NOON,
  })
  const witness = { url: 'http://w.example', key }
  const run = (head: LogHead | null, time = NOON, witnesses = [witness]) =>
    checkLog({
      store: withReads(store, 'log_head', () => (head === null ? [] : [{ head_json: JSON.stringify(head) }])),
      settings: { witnesses, everyMs: 1000 },
      now: () => time,
    }).run()
  const cosigned = await aHead(await createCosigner('w.example', seed, () => NOON))
  expect(await run(null)).toMatchObject({ level: 'ok', status: 'no checkpoint yet' })
  expect(await run(cosigned)).toEqual({ level: 'ok', status: 'ok' })
  expect(await run(await aHead())).toMatchObject({
    level: 'degraded',
    status: 'cosignature missing',
    sentence: expect.stringContaining('w.example'),
  })
  expect(await run(cosigned, NOON + HOUR)).toMatchObject({ status: 'cosignature missing' })
  const others = await Promise.all(
    ['x.example', 'y.example'].map(async (name) => {
      const other = new Uint8Array(32).fill(name.charCodeAt(0))
      return { name, other, key: formatVerifierKey(name, await publicKeyOf(other), 0x04) }
    }),
  )
  const three = [witness, ...others.map((one) => ({ url: `http://${one.name}`, key: one.key }))]
  expect(await run(cosigned, NOON, three)).toMatchObject({ level: 'degraded' })
  const [x] = others
  const twice = await aHead(
    await createCosigner('w.example', seed, () => NOON),
    await createCosigner('x.example', x?.other ?? seed, () => NOON),
  )
  expect(await run(twice, NOON, three)).toMatchObject({ level: 'impaired', status: 'cosignature missing' })
  await noteRefusal(store, 'a witness knows more entries', NOON)
  expect(await run(cosigned)).toEqual({ level: 'degraded', status: 'not signed' })
  await noteRefusal(store, null, NOON)
})

test('behavior: entries that have a place are late too, while no checkpoint covers them', async () => {
  const placed = createMemoryStore()
  const leaf = { leaf: '{}', opening: null, key: 'a' }
  await placed.write('addLeaves', [leaf, leaf, leaf])
  await placed.write('sequenceLeaves', 9)
  const check = checkLog({
    store: placed,
    settings: { witnesses: [], everyMs: 1000 },
    now: () => NOON,
  })
  const clock = vi.spyOn(performance, 'now')
  onTestFinished(() => clock.mockRestore())
  clock.mockReturnValue(0)
  expect(await check.run()).toMatchObject({ level: 'ok' })
  clock.mockReturnValue(10_001)
  expect(await check.run()).toMatchObject({
    status: 'late',
    sentence: expect.stringMatching(/^3 entries wait for a checkpoint/),
  })
})

test('behavior: the map is old half an hour after it was signed', async () => {
  const store = createMemoryStore()
  const signer = await parseSignerKey(await formatSignerKey('t.example/map', new Uint8Array(32).fill(1)))
  const header = writeMapHeader({
    issuer: 'https://t.example',
    version: 1,
    previous: null,
    entries: 7,
    bytes: 1,
    scoreVersion: '1.2.0',
    issuedAt: NOON,
    expiresAt: NOON + 2 * HOUR,
    sha256: 'ab'.repeat(32),
  })
  const run = (time: number) => checkMap(store, () => time).run()
  expect(await run(NOON)).toMatchObject({ level: 'ok', status: 'none yet' })
  await publishMapFiles(store, new Map(), { latest: await signNote(header, [signer]), isKept: () => true })
  expect(await run(NOON + 30 * MINUTE)).toMatchObject({ level: 'ok', status: 'ok' })
  expect(await run(NOON + 31 * MINUTE)).toMatchObject({ level: 'degraded', status: 'old' })
})

test('behavior: endpoints with records from the future are due at once', async () => {
  const ahead = createMemoryStore()
  const state = (name: string, at: number) =>
    ahead.write(
      'putEndpoint',
      aState({ endpoint: `https://${name}/a`, host: name, derivedAt: at, nextProbeAt: at + DAY }),
    )
  await state('past.example', NOON - HOUR)
  await state('future.example', NOON + 3 * DAY)
  await ahead.write('append', [
    aListing({ endpoint: 'https://new.example/a', host: 'new.example', at: NOON + 3 * DAY }),
  ])
  const probeFirst = (host: string, endpoints: readonly string[]) =>
    ahead.write('putFirst', host, endpoints, NOON)
  const check = checkClock({ store: ahead, probeFirst, now, heads: () => [] })
  expect(await check.run()).toMatchObject({
    status: 'records from the future',
    sentence: expect.stringMatching(/^1 verdicts are from the future/),
  })
  expect(await readDue(ahead, 'future.example', NOON, 9)).toEqual(['https://future.example/a'])
  expect(await readDue(ahead, 'new.example', NOON, 9)).toEqual(['https://new.example/a'])
  expect(await readDue(ahead, 'past.example', NOON, 9)).toEqual([])
  await state('future.example', NOON)
  expect(await check.run()).toEqual({ level: 'ok', status: 'ok' })
})

/** Returns a check of the clock that compares with blocks of these ages in ms. */
function startClockCheck() {
  let heads: { number: number; atMs: number; readAtMs: number }[] = []
  const check = checkClock({
    store: createMemoryStore(),
    probeFirst: async () => {},
    now,
    heads: () => heads,
  })
  return async (...blocks: readonly { readonly atMs: number; readonly ageMs: number }[]) => {
    heads = blocks.map(({ atMs, ageMs }) => ({ number: 1, atMs, readAtMs: atMs + ageMs }))
    return check.run()
  }
}

test('behavior: compares the clock with the newest block', async () => {
  const run = startClockCheck()
  expect(await run({ atMs: NOON, ageMs: 0 })).toMatchObject({ level: 'ok' })
  expect(await run({ atMs: NOON, ageMs: -2 * MINUTE })).toMatchObject({ status: 'behind the chain' })
  // A chain that stands still says nothing about the clock, nor does an RPC that falls back and catches up.
  expect(await run({ atMs: NOON, ageMs: HOUR })).toMatchObject({ level: 'ok' })
  expect(await run({ atMs: NOON - MINUTE, ageMs: HOUR })).toMatchObject({ level: 'ok' })
  expect(await run({ atMs: NOON, ageMs: HOUR })).toMatchObject({ level: 'ok' })
  expect(await run({ atMs: NOON + 2000, ageMs: HOUR })).toMatchObject({ status: 'ahead of the chain' })
})

test('behavior: half of the RPCs must disagree with the clock', async () => {
  const run = startClockCheck()
  const right = { atMs: NOON, ageMs: 1000 }
  const future = { atMs: NOON + HOUR, ageMs: -HOUR }
  expect(await run(right, future)).toMatchObject({ level: 'ok' })
  expect(await run(future, right, right)).toMatchObject({ level: 'ok' })
  expect(await run(future, right, future)).toMatchObject({ status: 'behind the chain' })
})
