import { execFile } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { lookup } from '@touchstone402/economy'
import { readConfig, startApp } from '@touchstone402/server'
import { COSIGNATURE_TYPE, formatVerifierKey, publicKeyOf } from '@touchstone402/transparency'
import { expect, onTestFinished, test } from 'vitest'
import { startRpcProxy } from './support/rpcProxy.ts'
import { serve } from './support/serve.ts'
import { createShiftClock } from './support/shiftClock.ts'
import { startWatched, useWatched } from './support/watchedService.ts'

const run = promisify(execFile)
const { market, seen, settings } = useWatched()
const DAY = 86_400_000
const SECRET = 'S3CRET9X'

/** Mounts a small disk of memory. Returns why it cannot, if it cannot. */
async function mountSmallDisk(): Promise<string | null> {
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=700', 'tmpfs', settings().DATA_DIR])
  } catch (error) {
    return `no small disk can be mounted here: ${String(error).split('\n')[0]}`
  }
  const mounted = settings().DATA_DIR
  onTestFinished(async () => void (await run('umount', ['-l', mounted])))
  return null
}

test('behavior: a full disk is seen within seconds, and that it has space again', async ({ skip }) => {
  const reason = await mountSmallDisk()
  if (reason !== null) skip(reason)
  const service = await startWatched(settings())
  onTestFinished(service.stop)
  expect(await service.readyz()).toMatchObject({ code: 200, checks: { store: 'disk nearly full' } })
  const fill = await open(join(settings().DATA_DIR, 'fill'), 'w')
  await expect(
    (async () => {
      for (;;) await fill.write(Buffer.alloc(64 * 1024))
    })(),
  ).rejects.toThrow('ENOSPC')
  await fill.close()
  const seconds = await service.until(({ code }) => code === 503)
  const answer = await service.readyz()
  seen['disk full'] = { readyz: `503 ${answer.checks.store}`, seconds }
  expect(answer.status).toBe('not_ready')
  expect(answer.checks.store).toMatch(/^(disk full|unavailable)$/)
  expect(await service.metric('touchstone_ready')).toBe('0')
  expect(await service.metric('touchstone_check_failing{check="store"}')).toBe('1')
  expect(service.events()).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      event: 'check_failing',
      check: 'store',
      status: answer.checks.store,
    }),
  )
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
  await rm(join(settings().DATA_DIR, 'fill'))
  await service.until(({ code }) => code === 200)
  expect(await service.metric('touchstone_ready')).toBe('1')
  expect(seconds).toBeLessThan(30)
})

test('behavior: faults outside of the process are degraded, named and without secrets', async () => {
  const { chain } = market.economy
  let fault: 'busy' | 'hang' | undefined
  const proxy = await startRpcProxy(chain.rpcUrl)
  const busy = await serve((_, response) => response.writeHead(429, { 'retry-after': '1' }).end('{}'))
  const nowhere = `http://127.0.0.1:1/v2/${SECRET}?apikey=${SECRET}`
  const rpc = await serve(async (request, response) => {
    if (fault === 'hang') return
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const target = fault === 'busy' ? busy.url : proxy.url
    const answer = await fetch(target, { method: 'POST', body: Buffer.concat(parts) })
    response.writeHead(answer.status).end(await answer.text())
  })
  // A head that stands still is old after a minute.
  const mine = () =>
    fetch(chain.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_mine', params: [] }),
    })
  const mining = setInterval(() => void mine(), 5000)
  onTestFinished(async () => {
    clearInterval(mining)
    await Promise.all([proxy.close(), busy.stop(), rpc.stop()])
  })
  const witness = formatVerifierKey(
    'w.example',
    await publicKeyOf(new Uint8Array(32).fill(3)),
    COSIGNATURE_TYPE,
  )
  const service = await startWatched({
    ...settings(),
    RPC_URLS: rpc.url.replace('://', `://user:${SECRET}@`).concat(`/v2/${SECRET}?apikey=${SECRET}`),
    FACILITATOR_URL: nowhere,
    FACILITATOR_HEADERS: `authorization: Bearer ${SECRET}`,
    LOG_WITNESSES: `http://127.0.0.1:1 ${witness}`,
    DIRECTORIES: `bazaar=${market.economy.directories.bazaarUrl},402index=${nowhere}`,
  })
  onTestFinished(service.stop)
  const shows = async (check: string, status: string, name = status, event = 'check_failing') => {
    const seconds = await service.until(({ checks }) => checks[check] === status)
    const answer = await service.readyz()
    expect(answer).toMatchObject({ code: 200, status: 'degraded' })
    expect(await service.metric('touchstone_ready')).toBe('1')
    expect(await service.metric(`touchstone_check_failing{check="${check}"}`)).toBe('1')
    expect(service.events()).toContainEqual(
      expect.objectContaining({ level: 'warn', event, ...(event === 'check_failing' && { check, status }) }),
    )
    seen[name] = { readyz: `200 ${check}: ${status}`, seconds }
  }
  await shows('facilitator', 'unreachable', 'facilitator down')
  await shows('directories', 'failing', 'directory down')
  await shows('log', 'not signed', 'witness down', 'log_failed')
  expect(await service.metric('touchstone_log_cosignature_age_seconds{witness="w.example"}')).toBe('Nan')

  await service.until(({ checks }) => checks.chain === 'ok')
  const host = new URL(rpc.url).host
  const failed = async () =>
    Number(await service.metric(`touchstone_chain_failed_calls_total{rpc="${host}"}`))
  const before = await failed()
  fault = 'busy'
  await shows('chain', 'unreachable', 'RPC answers 429')
  expect(await failed()).toBeGreaterThan(before)
  expect(service.line.output()).toContain('HTTP 429')
  fault = undefined
  await service.until(({ checks }) => checks.chain === 'ok')
  expect(service.events()).toContainEqual(
    expect.objectContaining({ level: 'info', event: 'check_works', check: 'chain' }),
  )
  fault = 'hang'
  await shows('chain', 'unreachable', 'RPC hangs')
  const askedAt = performance.now()
  await service.readyz()
  expect(performance.now() - askedAt).toBeLessThan(1000)
  expect(service.line.output()).not.toContain(SECRET)
})

test('behavior: after a clock that was three days ahead, its endpoints are probed again at once', async () => {
  const read = readConfig(settings())
  if (!read.ok) throw new Error(read.problems.join('\n'))
  const { config } = read
  const [seller] = Object.values(market.economy.sellers)
  const verdict = async (url: string): Promise<{ known: boolean; checkedAt: string | null }> =>
    (await fetch(`${url}/verify?endpoint=${encodeURIComponent(seller?.url ?? '')}`)).json()
  const checkedAt = async (url: string) => Date.parse((await verdict(url)).checkedAt ?? '')
  const clock = createShiftClock()
  await clock.advance(3 * DAY)
  const ahead = await startApp(config, { lookup, clock })
  await expect.poll(() => checkedAt(ahead.url)).toBeGreaterThan(Date.now() + 2 * DAY)
  await ahead.stop()

  const lines: string[] = []
  const startedAt = performance.now()
  const back = await startApp(config, { lookup, log: (_, message) => lines.push(message) })
  onTestFinished(back.stop)
  const clockNow = async () => {
    const answer = (await (await fetch(`${back.url}/readyz`)).json()) as { checks: { clock: string } }
    return answer.checks.clock
  }
  await expect.poll(clockNow).toBe('records from the future')
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10
  seen['clock was ahead'] = { readyz: '200 clock: records from the future', seconds }
  expect(lines).toContainEqual(expect.stringMatching(/^clock: \d+ verdicts are from the future/))
  await expect.poll(() => checkedAt(back.url)).toBeLessThan(Date.now() + DAY)
  await expect.poll(clockNow).not.toBe('records from the future')
})
