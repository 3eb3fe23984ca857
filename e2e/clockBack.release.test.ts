import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startService } from '@touchstone402/demo'
import type { Verdict } from '@touchstone402/shared'
import { expect, onTestFinished, test } from 'vitest'
import { useEconomy } from './support/economy.ts'

const DAY = 86_400_000

test('behavior: after a clock that was two days ahead was set back, no verdict speaks of the future', async () => {
  const economy = await useEconomy()
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-clock-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  let aheadMs = 0
  const clock = {
    now: () => Date.now() + aheadMs,
    sleep: async (ms: number, signal?: AbortSignal) => void (await sleep(ms, undefined, { signal })),
    hold: () => () => {},
  }
  const start = () =>
    startService(economy, {
      clock,
      settings: {
        DATA_DIR: folder,
        RATE_LIMIT_PER_MINUTE: '1000000',
      },
    })
  const probed = ({ crawl }: Awaited<ReturnType<typeof start>>) =>
    expect
      .poll(() => crawl().discoveries > 0 && crawl().probes > 0 && crawl().due === 0, { timeout: 120_000 })
      .toBe(true)
  const urls = Object.values(economy.sellers).map(({ url }) => url)
  const verifyAll = (origin: string) =>
    Promise.all(
      urls.map(async (url) => {
        const answer = await fetch(`${origin}/verify?endpoint=${encodeURIComponent(url)}`)
        return (await answer.json()) as Verdict
      }),
    )
  const latest = (verdicts: readonly Verdict[]) =>
    Math.max(
      ...verdicts.flatMap(({ ts, checkedAt }) => [ts, checkedAt].map((time) => Date.parse(time ?? ts))),
    )

  const first = await start()
  await probed(first)
  const before = await verifyAll(first.url)
  await first.stop()

  aheadMs = 2 * DAY
  const second = await start()
  onTestFinished(() => void second.stop())
  await probed(second)
  expect(latest(await verifyAll(second.url))).toBeGreaterThan(Date.now() + DAY)

  // Answers from then are cached.
  aheadMs = 0
  const after = await verifyAll(second.url)
  expect(latest(after)).toBeLessThanOrEqual(Date.now())
  expect(after.map(({ verdict }) => verdict)).toEqual(before.map(({ verdict }) => verdict))
  for (const { signature = '' } of after) {
    const signed = JSON.parse(Buffer.from(signature.split('.')[1] ?? '', 'base64url').toString())
    expect(signed.seq).toBeLessThanOrEqual(Date.now())
    expect(Date.parse(signed.expiresAt)).toBeLessThanOrEqual(Date.now() + 2 * DAY)
  }
}, 280_000)
