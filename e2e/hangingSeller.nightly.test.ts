import { startService } from '@touchstone402/demo'
import type { TrustLive } from '@touchstone402/shared'
import { expect, onTestFinished, test } from 'vitest'
import { startEconomy } from './support/economy.ts'
import { serve } from './support/serve.ts'
import { signFor } from './support/sign.ts'

test('default: a live check responds in time about an endpoint that hangs, and charges', async () => {
  const hanging = await serve(() => {})
  onTestFinished(hanging.stop)
  const economy = await startEconomy({ sellers: [] })
  onTestFinished(economy.stop)
  const allowed = [...economy.allowedHosts, `127.0.0.1:${hanging.port}`].join(',')
  const service = await startService(economy, { settings: { DEVELOPMENT_ALLOW_HOSTS: allowed } })
  onTestFinished(service.stop)
  const [bot] = economy.wallets.bots
  if (bot === undefined) throw new Error('the economy has no bot')
  const balance = () => economy.chain.usdcBalanceOf(economy.wallets.service.address)
  const before = await balance()

  const endpoint = encodeURIComponent(`http://hanging.localhost:${hanging.port}/answers`)
  const url = `${service.url}/trust?endpoint=${endpoint}`
  const { headers } = await signFor(url, bot, 2)
  const startedAt = performance.now()
  const response = await fetch(url, { headers })
  expect(performance.now() - startedAt).toBeLessThan(45_000)
  const live = (await response.json()) as TrustLive
  expect(live).toMatchObject({ known: true, verdict: 'unknown', live: { alive: false } })
  expect(live.live.probes[0]).toMatchObject({ outcome: 'down', cause: 'timeout' })
  expect((await balance()) - before).toBe(5000n)
})
