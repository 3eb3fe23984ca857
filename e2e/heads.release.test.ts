import { once } from 'node:events'
import { connect } from 'node:net'
import { OPERATIONS, PAID_OPERATIONS, type PaidOperationId } from '@touchstone402/shared'
import { expect, onTestFinished, test } from 'vitest'
import { denying } from './support/facilitatorAnswers.ts'
import { startFaultyFacilitator } from './support/faultyFacilitator.ts'
import { useMarket } from './support/market.ts'
import { startHaproxy } from './support/proxies/haproxy.ts'
import { startNginx } from './support/proxies/nginx.ts'
import { signFor } from './support/sign.ts'
import { STOCK_CLIENTS } from './support/stockClients.ts'

const market = useMarket()
const { bot, earned, open } = market

// A stock nginx has 4 kB for the head of an upstream's answer, and its own part in it.
const MAX_HEAD_BYTES = 3000
/** The longest origin: a name of 253 characters and a port. */
const LONG_URL = `https://${`${'a'.repeat(62)}.`.repeat(4).slice(0, 253)}:65535`
const VERSIONS = [1, 2] as const
const LONG_REASON = 'invalid_exact_evm_payload_authorization_value_mismatch'

/** Returns the head of an answer as it is on the wire. */
async function readHead(url: string, headers: Record<string, string> = {}): Promise<string> {
  const { hostname, port, host, pathname, search } = new URL(url)
  const socket = connect(Number(port), hostname)
  const lines = Object.entries({ host, connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk
  })
  await once(socket, 'close')
  return text.slice(0, text.indexOf('\r\n\r\n') + 4)
}

/** Returns a call that the shop answers: it knows one endpoint. */
function samplePath(id: PaidOperationId): string {
  const query = new URLSearchParams(OPERATIONS[id].sampleQuery)
  if (query.has('endpoint')) query.set('endpoint', 'https://known.example/')
  return `${OPERATIONS[id].path}?${query}`
}

/** A chain that has made its blocks since a settlement, and shows none. */
const SHOWS_NOTHING = {
  isDue: () => false,
  reach: async () => {},
  isShown: async () => false,
  search: async () => 'unused' as const,
  peek: async () => undefined,
}

test('default: every 402 head is below 3 kB on the wire, also with a long public URL and after a failed settlement', async () => {
  const facilitator = await startFaultyFacilitator(market.economy.facilitator.url)
  onTestFinished(() => facilitator.close())
  await facilitator.set({ settle: denying('before', LONG_REASON) })
  const sizes: Record<string, number> = {}
  for (const publicUrl of ['https://trust.example', LONG_URL]) {
    const shop = await open({
      publicUrl,
      facilitator: { url: facilitator.url },
      paywall: { confirmation: SHOWS_NOTHING },
    })
    for (const id of PAID_OPERATIONS) {
      const url = shop.origin + samplePath(id)
      const heads = [await readHead(url)]
      for (const version of VERSIONS) {
        const refused = await signFor(url, bot(), version, { authorization: { validBefore: '1' } })
        heads.push(await readHead(url, refused.headers))
        const failed = await signFor(url, bot(), version)
        const head = await readHead(url, failed.headers)
        expect(head).toMatch(version === 1 ? /^X-PAYMENT-RESPONSE: /m : /^PAYMENT-RESPONSE: /m)
        heads.push(head)
      }
      for (const head of heads) expect(head).toMatch(/^HTTP\/1\.1 402 .*^PAYMENT-REQUIRED: /ms)
      sizes[`${id} at ${publicUrl.length} characters`] = Math.max(...heads.map((head) => head.length))
    }
  }
  expect(Object.values(sizes).filter((size) => size >= MAX_HEAD_BYTES)).toEqual([])
})

for (const [proxy, start] of Object.entries({ nginx: startNginx, haproxy: startHaproxy })) {
  test(`behavior: stock clients of both versions buy every paid route through a stock ${proxy}`, async () => {
    const shop = await open({ publicUrl: LONG_URL })
    const running = await start([shop.origin])
    if (running === undefined) throw new Error(`${proxy} is not installed: apt-get install ${proxy}`)
    onTestFinished(() => running.stop())
    const bought: unknown[] = []
    for (const client of Object.values(STOCK_CLIENTS)) {
      const pay = client(fetch, bot(), 'none')
      for (const id of PAID_OPERATIONS) {
        const response = await pay(running.origins[0] + samplePath(id))
        await response.arrayBuffer()
        bought.push([id, response.status])
      }
    }
    expect(bought).toEqual(Object.keys(STOCK_CLIENTS).flatMap(() => PAID_OPERATIONS.map((id) => [id, 200])))
    const prices = PAID_OPERATIONS.map((id) => Number(OPERATIONS[id].priceUsd) * 1e6)
    expect(await earned()).toBe(2n * BigInt(prices.reduce((sum, price) => sum + price, 0)))
  })
}
