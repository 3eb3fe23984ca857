import { createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Service, startService } from '@touchstone402/demo'
import { allSellers, type Economy, type SellerSpec } from '@touchstone402/economy'
import type { Change } from '@touchstone402/shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEconomy } from './support/economy.ts'
import { createShiftClock } from './support/shiftClock.ts'

const HOUR = 3_600_000
const clock = createShiftClock()
const conduct = { isBroken: false, claim: '' }
/** The receiver: what it got, verified by hand, and its secret. */
const inbox = { secret: '', messages: [] as Record<string, unknown>[], refused: 0 }

let economy: Economy
let service: Service
let receiver: Server
let dataDir: string

function makeSeller(): SellerSpec {
  const honest = allSellers.find(({ id }) => id === 'honest-v1')
  if (honest === undefined) throw new Error('no honest seller')
  return {
    ...honest,
    id: 'teller',
    create: (context) => {
      const inner = honest.create(context)
      return {
        ...inner,
        handle: (request, response) => {
          if (request.url === '/.well-known/touchstone.txt') return void response.end(conduct.claim)
          if (conduct.isBroken) return void response.writeHead(500).end()
          inner.handle(request, response)
        },
      }
    },
  }
}

/** Source: Standard Webhooks, "Signature scheme". */
function isSigned(headers: NodeJS.Dict<string | string[]>, payload: string): boolean {
  const key = Buffer.from(inbox.secret.replace('whsec_', ''), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${payload}`
  const isRecent = Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp'])) < 300
  return (
    isRecent &&
    headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  )
}

async function open(): Promise<Service> {
  const { port } = receiver.address() as AddressInfo
  const hosts = [...economy.allowedHosts, `127.0.0.1:${port}`]
  const settings = { DEVELOPMENT_ALLOW_HOSTS: hosts.join(','), PUBLIC_URL: 'https://trust.example' }
  return startService(economy, { clock, settings: { PORT: '0', DATA_DIR: dataDir, ...settings } })
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'touchstone-webhooks-'))
  receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const payload = Buffer.concat(chunks).toString()
    if (!isSigned(request.headers, payload)) {
      inbox.refused++
      return void response.writeHead(401).end()
    }
    const message = JSON.parse(payload)
    inbox.messages.push(message)
    response.end(message.challenge ?? '')
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  economy = await startEconomy({ sellers: [makeSeller()], clock: 'real' })
  service = await open()
})
afterAll(async () => {
  await service?.stop()
  await economy?.stop()
  receiver?.close()
  await rm(dataDir, { recursive: true, force: true })
})

const seller = () => {
  const handle = economy.sellers.teller
  if (handle === undefined) throw new Error('no such seller')
  return handle
}
const statusOf = async () => {
  const answer = await fetch(`${service.url}/verify?endpoint=${encodeURIComponent(seller().url)}`)
  return (await answer.json()).status
}

test('default: the owner of a claimed host adds a webhook, and hears after a restart that its service went dark', async () => {
  await expect.poll(statusOf, { timeout: 20_000 }).toBe('live')
  const { host } = seller()
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/in`
  const owners = () => `${service.url}/owners/${encodeURIComponent(host)}`
  const post = (part: string, fields: Record<string, string>) =>
    fetch(`${owners()}/${part}`, { method: 'POST', body: new URLSearchParams(fields) })
  const claim = await (await fetch(`${owners()}.json`)).json()
  conduct.claim = claim.file.line
  expect((await post('claims', { method: 'file', secret: claim.secret })).status).toBe(200)
  const created = await post('webhooks', { url, secret: claim.secret })
  expect(created.status).toBe(202)
  const { id, secret } = await created.json()
  inbox.secret = secret
  // A first attempt may have come before the secret was known; the next follows a minute later.
  if (inbox.refused > 0) await clock.advance(60_000)
  await expect.poll(() => inbox.messages.length, { timeout: 30_000 }).toBe(1)
  expect(inbox.messages[0]).toMatchObject({ type: 'webhook.challenge' })

  await service.stop()
  conduct.isBroken = true
  service = await open()
  for (let hour = 0; hour < 24 && (await statusOf()) !== 'dark'; hour++) {
    await clock.advance(HOUR)
    await expect.poll(() => service.crawl(), { timeout: 20_000 }).toMatchObject({ due: 0 })
  }
  await expect
    .poll(() => inbox.messages.map(({ type, data }) => [type, (data as Change | undefined)?.kind]), {
      timeout: 30_000,
    })
    .toContainEqual(['change', 'service_gone_dark'])
  const told: Record<string, unknown> =
    inbox.messages.find(({ data }) => (data as Change | undefined)?.kind === 'service_gone_dark') ?? {}
  const { changes } = (await (await fetch(`${service.url}/changes.json`)).json()) as { changes: Change[] }
  expect(told.data).toEqual(changes.find(({ kind }) => kind === 'service_gone_dark'))
  expect(told).toHaveProperty('timestamp', (told.data as Change).at)

  const removed = await post('webhooks/remove', { url, secret: claim.secret })
  expect(await removed.json()).toEqual({ id, removed: true })
  // Pages and logs do not show the stored secret.
  const profile = await (
    await fetch(`${service.url}/services/${host}`, { headers: { Accept: 'text/html' } })
  ).text()
  expect(profile).not.toContain(secret)
})
