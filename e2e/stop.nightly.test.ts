import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '@touchstone402/server/testing'
import { expect, onTestFinished, test } from 'vitest'
import { startBuiltServer } from './support/builtServer.ts'
import { HANGS, startHanging, startSilence } from './support/hangingService.ts'
import { useMarket } from './support/market.ts'
import { ALONE } from './support/settings.ts'

const market = useMarket()

test('behavior: a settlement that hangs is left to reconciliation when the time is over', async () => {
  const { paid, asked, signal, end, text } = await startHanging(
    market,
    { settle: HANGS },
    { STOP_SECONDS: '6' },
  )
  await expect.poll(() => asked).toContain('settle')
  signal()
  await expect(paid).rejects.toThrow()
  const { code, ms } = await end()
  expect(text()).toContain('1 paid calls cut during settlement: reconciliation ends them')
  expect([code, ms < 6000]).toEqual([0, true])
}, 60_000)

test('behavior: exits with 1 if an accepted call had to be cut before its answer', async () => {
  const { paid, asked, signal, end, text } = await startHanging(
    market,
    { verify: HANGS },
    { STOP_SECONDS: '6' },
  )
  await expect.poll(() => asked).toContain('verify')
  signal('SIGINT')
  await expect(paid).rejects.toThrow()
  const { code, ms } = await end()
  expect(text()).toContain('ended by STOP_SECONDS: 1 paid calls cut before their answer, uncharged')
  expect([code, ms < 6000]).toEqual([1, true])
}, 60_000)

test('behavior: several processes stop together, and a second signal ends them all', async () => {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.stop())
  const [dataDir, rpc] = [await mkdtemp(join(tmpdir(), 'touchstone-stop-')), await startSilence()]
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const settings = { ...ALONE, DATABASE_URL: postgres.url, DATA_DIR: dataDir, RPC_URLS: rpc.url }
  const proc = (path: string) => readFile(`/proc/${path}`, 'utf8').catch(() => '')
  /** Lists those that run; what has ended may wait for its parent. */
  const listRunning = async (pids: readonly string[]) => {
    const states = await Promise.all(
      pids.map(async (pid) => /^State:\t(\w)/m.exec(await proc(`${pid}/status`))?.[1]),
    )
    return states.filter((state) => state !== undefined && state !== 'Z')
  }
  const start = async (seconds: string) => {
    const service = await startBuiltServer(['--processes', '2'], { ...settings, STOP_SECONDS: seconds })
    await expect.poll(() => service.text().match(/"event":"(listening|working)"/g)?.length).toBe(3)
    const children = (await proc(`${service.pid}/task/${service.pid}/children`)).trim().split(' ')
    expect(children).toHaveLength(3)
    return { ...service, children }
  }
  const first = await start('6')
  first.signal()
  await expect.poll(async () => (await fetch(`${first.url}/readyz`)).status).toBe(503)
  const { code, ms } = await first.end()
  expect([code, ms < 6000, await listRunning(first.children)]).toEqual([0, true, []])

  const second = await start('60')
  second.signal()
  await sleep(1000)
  second.signal()
  expect((await second.end()).code).toBe(1)
  await expect.poll(() => listRunning(second.children)).toEqual([])
}, 120_000)
