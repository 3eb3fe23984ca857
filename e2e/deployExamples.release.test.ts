import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OPERATIONS } from '@touchstone402/shared'
import { expect, onTestFinished, test } from 'vitest'
import { TRUST_PRICE, useMarket } from './support/market.ts'
import { readDoc, replace, startNginxExample } from './support/proxies/nginxExample.ts'
import { signFor } from './support/sign.ts'

const market = useMarket()
const HOST = 'trust.example'

test('default: a payment goes through nginx with the documented configuration, over TLS', async () => {
  const config = { trustProxy: 1, rateLimitPerMinute: 5 }
  const shop = await market.open({ publicUrl: `https://${HOST}`, config })
  const { ask, plainPort } = await startNginxExample([shop.origin])
  const path = `${OPERATIONS.trust.path}?endpoint=${encodeURIComponent('https://known.example/')}`

  expect((await ask(path)).status).toBe(402)
  const { headers } = await signFor(shop.origin + path, market.bot(), 2)
  expect((await ask(path, headers)).status).toBe(200)
  expect(await market.earned()).toBe(TRUST_PRICE)

  // The limit follows the connection: a forged X-Forwarded-For does not evade it.
  const statuses: unknown[] = []
  for (let client = 0; client < 7; client++) {
    const headers = { 'x-forwarded-for': `203.0.113.${client}` }
    statuses.push((await ask('/status.json', headers)).status)
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])

  const moved = await fetch(`http://127.0.0.1:${plainPort}/about`, {
    headers: { host: HOST },
    redirect: 'manual',
  })
  expect(moved.status).toBe(308)
})

test('default: the unit starts the service as the container does, and systemd accepts it', async () => {
  const unit = await readDoc('touchstone.service')
  const dockerfile = await readFile(new URL('../Dockerfile', import.meta.url), 'utf8')
  const [, ...words] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? '[]')
  expect(unit).toContain(`ExecStart=/usr/bin/node ${words.join(' ')}\n`)
  // Absent in slim containers.
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) return
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-unit-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'touchstone.service')
  await writeFile(path, replace(unit, '/usr/bin/node', process.execPath))
  execFileSync('systemd-analyze', ['verify', path], { stdio: 'pipe' })
})
