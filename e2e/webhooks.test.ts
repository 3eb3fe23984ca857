import { createHmac } from 'node:crypto'
import { walletAt } from '@touchstone402/economy'
import type { Change } from '@touchstone402/shared'
import { beforeAll, expect, test } from 'vitest'
import { type MovedService, useMovedService } from './support/movedService.ts'
import type { Asked, Cast, Script } from './support/scriptedHosts.ts'
import { offerOf } from './support/seller.ts'

const conduct = { isBroken: false, claim: '' }
/** The receiver: what it got, verified by hand, and its secret. */
const inbox = { secret: '', messages: [] as Record<string, unknown>[], refused: 0 }

const teller: Script = {
  reply: ({ path }) => {
    if (path === '/.well-known/touchstone.txt') return { status: 200, body: conduct.claim }
    if (conduct.isBroken) return { status: 500, body: '' }
    return path === '/api' ? [offerOf(walletAt(211).address, '10000')] : { status: 404, body: '{}' }
  },
}

/** Takes messages that are signed, at an address, since a webhook needs a public name. No directory lists it. */
const receiver: Script = {
  listed: () => [],
  reply: (asked) => {
    if (!isSigned(asked)) {
      inbox.refused++
      return { status: 401, body: '' }
    }
    const message = JSON.parse(asked.body)
    inbox.messages.push(message)
    return { status: 200, body: message.challenge ?? '' }
  },
}

/** Source: Standard Webhooks, "Signature scheme". */
function isSigned({ headers, body }: Asked): boolean {
  const key = Buffer.from(inbox.secret.replace('whsec_', ''), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const isRecent = Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp'])) < 300
  return (
    isRecent &&
    headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  )
}

let moved: MovedService
let cast: Cast

beforeAll(async () => {
  moved = await useMovedService()
  cast = await moved.open({ teller, '127.0.0.1': receiver })
})

const statusOf = async () => (await moved.verify(cast.url('teller'))).status

test('default: the owner of a claimed host adds a webhook, and hears after a restart that its service went dark', async () => {
  expect(await statusOf()).toBe('live')
  const { host } = new URL(cast.url('teller'))
  const url = `http://127.0.0.1:${new URL(cast.url('teller')).port}/in`
  const owners = () => `${moved.service.url}/owners/${encodeURIComponent(host)}`
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
  if (inbox.refused > 0) await moved.pass(1 / 60)
  await expect.poll(() => inbox.messages.length).toBe(1)
  expect(inbox.messages[0]).toMatchObject({ type: 'webhook.challenge' })

  conduct.isBroken = true
  await moved.restart()
  for (let hour = 0; hour < 24 && (await statusOf()) !== 'dark'; hour++) await moved.pass(1)
  await expect
    .poll(() => inbox.messages.map(({ type, data }) => [type, (data as Change | undefined)?.kind]))
    .toContainEqual(['change', 'service_gone_dark'])
  const told: Record<string, unknown> =
    inbox.messages.find(({ data }) => (data as Change | undefined)?.kind === 'service_gone_dark') ?? {}
  const { changes } = (await (await fetch(`${moved.service.url}/changes.json`)).json()) as {
    changes: Change[]
  }
  expect(told.data).toEqual(changes.find(({ kind }) => kind === 'service_gone_dark'))
  expect(told).toHaveProperty('timestamp', (told.data as Change).at)

  const removed = await post('webhooks/remove', { url, secret: claim.secret })
  expect(await removed.json()).toEqual({ id, removed: true })
  // Pages and logs do not show the stored secret.
  const profile = await (
    await fetch(`${moved.service.url}/services/${host}`, { headers: { Accept: 'text/html' } })
  ).text()
  expect(profile).not.toContain(secret)
})
