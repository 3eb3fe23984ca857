import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { answerLookups, askProxy, TOKEN, useProxyHarness } from '../../testing/proxyHarness.ts'
import { deliver, THIEF } from '../../testing/seller.ts'
import { createProxy, type ProxyDeps } from './createProxy.ts'

const harness = useProxyHarness()

describe('paying', () => {
  test('default: pays for the call, and the answer says what it cost, why, and what is left', async () => {
    const proxy = await harness.start()
    const { status, headers, text } = await proxy.ask(proxy.weather)
    expect({ status, text }).toEqual({ status: 200, text: '{"weather":"sunny"}' })
    expect(headers).toMatchObject({
      'touchstone-state': 'settled',
      'touchstone-payment': expect.stringMatching(/./),
      'touchstone-amount-usd': '0.01',
      'touchstone-charged-usd': '0.01',
      'touchstone-transaction': `0x${'ab'.repeat(32)}`,
      'touchstone-verdict': 'safe',
      'touchstone-remaining-usd': '1.99',
    })
    expect([proxy.counter.signatures, harness.seller.payments.length]).toEqual([1, 1])
  })

  test('behavior: an answer says what its call was charged: nothing for a repetition', async () => {
    const proxy = await harness.start()
    let isDown = true
    harness.seller.character.onPaid = (_, response) => {
      if (isDown) response.destroy()
      else deliver(response)
    }
    const lost = await proxy.ask(proxy.weather)
    const again = await proxy.ask(proxy.weather)
    isDown = false
    const answered = await proxy.ask(proxy.weather)
    expect(
      [lost, again, answered].map(({ status, headers }) => [status, headers['touchstone-charged-usd']]),
    ).toEqual([
      [502, '0.01'],
      [502, '0'],
      [200, '0'],
    ])
    expect(answered.headers['touchstone-amount-usd']).toBe('0.01')
    expect(JSON.parse(again.text)).toMatchObject({ state: 'sent', amountUsd: '0.01', chargedUsd: '0' })
    expect(proxy.counter.signatures).toBe(1)
  })

  test('behavior: of equal calls at once one is charged', async () => {
    const proxy = await harness.start()
    const answers = await Promise.all([1, 2, 3].map(() => proxy.ask(proxy.weather)))
    const charged = answers.map(({ headers }) => headers['touchstone-charged-usd'])
    expect([charged.toSorted(), proxy.counter.signatures]).toEqual([['0', '0', '0.01'], 1])
  })

  test('behavior: works without a service, by what the policy allows for new sellers', async () => {
    const proxy = await harness.start({ service: undefined })
    expect(await proxy.ask(proxy.weather)).toMatchObject({
      status: 200,
      headers: { 'touchstone-verdict': 'none' },
    })
  })

  test.each(['/weather', '/api.example.com/weather', '/localhost:8080/weather', '/ftp://api.example.com'])(
    'error: %s is no target, and the answer shows one behind the port of this proxy',
    async (path) => {
      const proxy = await harness.start()
      const { status, text } = await proxy.ask(path)
      expect([status, JSON.parse(text)]).toMatchObject([404, { code: 'NO_TARGET' }])
      expect(text).toContain(`${proxy.address}/https://api.example.com:8443/weather`)
    },
  )

  test('behavior: a refusal is a 402 with the facts as JSON, and is no challenge to pay', async () => {
    const proxy = await harness.start()
    harness.seller.character = { terms: [{ payTo: THIEF }] }
    const { status, headers, text } = await proxy.ask(proxy.weather)
    expect({ status, code: headers['touchstone-code'] }).toEqual({
      status: 402,
      code: 'RECEIVER_NOT_CHECKED',
    })
    expect(JSON.parse(text)).toMatchObject({
      code: 'RECEIVER_NOT_CHECKED',
      paid: false,
      state: 'none',
      offered: { amountUsd: '0.01', payTo: THIEF },
      remedy: expect.stringMatching(/./),
    })
    expect(text).not.toContain('accepts')
    expect(headers['payment-required']).toBeUndefined()
    expect(proxy.counter.signatures).toBe(0)
  })

  test('behavior: the budget of a task holds beside that of another', async () => {
    const tasks = new Map([
      [TOKEN, { name: 'small', maxUsd: '0.02' }],
      ['other', { name: 'large', maxUsd: '1.00' }],
    ])
    const proxy = await harness.start({ tasks })
    const statuses = async (token: string, calls: number) => {
      const found = []
      for (let call = 0; call < calls; call++) {
        const path = `${proxy.weather}?${token}${call}`
        found.push((await proxy.ask(path, { headers: { 'Touchstone-Token': token } })).status)
      }
      return found
    }
    expect(await statuses(TOKEN, 3)).toEqual([200, 200, 402])
    expect(await statuses('other', 3)).toEqual([200, 200, 200])
  })

  test('behavior: Touchstone-Max-Usd limits one call', async () => {
    const proxy = await harness.start()
    const dear = await proxy.ask(proxy.weather, { headers: { 'Touchstone-Max-Usd': '0.001' } })
    expect([dear.status, JSON.parse(dear.text).code]).toEqual([402, 'OVER_CALL_LIMIT'])
    const wrong = await proxy.ask(proxy.weather, { headers: { 'Touchstone-Max-Usd': 'much' } })
    expect([wrong.status, JSON.parse(wrong.text).reason]).toEqual([402, expect.stringContaining('maxUsd')])
  })

  test('behavior: fifty calls at once stay within the budget', async () => {
    const proxy = await harness.start({ policy: { velocity: { perHostPerMinute: 100 } } })
    const calls = Array.from({ length: 50 }, (_, call) => proxy.ask(`${proxy.weather}?${call}`))
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(new Set(harness.seller.payments).size).toBe(50)
  })

  test('behavior: a repeat of a call that got no answer sends the same payment again', async () => {
    const proxy = await harness.start()
    harness.seller.character = { onPaid: (_, response) => void response.socket?.destroy() }
    const broken = await proxy.ask(proxy.weather)
    expect([broken.status, JSON.parse(broken.text)]).toMatchObject([
      502,
      { state: 'sent', code: 'NO_ANSWER' },
    ])
    harness.seller.character = {}
    expect(await proxy.ask(proxy.weather)).toMatchObject({ status: 200 })
    expect([proxy.counter.signatures, new Set(harness.seller.payments).size]).toEqual([1, 1])
  })

  test('behavior: a task neither repeats nor uses up the payment of another for an equal call', async () => {
    const tasks = new Map([
      [TOKEN, { name: 'owner', maxUsd: '0.01' }],
      ['other', { name: 'poor', maxUsd: '0.005' }],
    ])
    const proxy = await harness.start({ tasks, policy: { maxStrikes: 9 } })
    harness.seller.character = { onPaid: (_, response) => void response.socket?.destroy() }
    expect((await proxy.ask(proxy.weather)).status).toBe(502)
    harness.seller.character = {}
    const other = await proxy.ask(proxy.weather, { headers: { 'Touchstone-Token': 'other' } })
    expect([other.status, JSON.parse(other.text).code]).toEqual([402, 'OVER_TASK_LIMIT'])
    expect((await proxy.ask(proxy.weather)).status).toBe(200)
    expect([proxy.counter.signatures, new Set(harness.seller.payments).size]).toEqual([1, 1])
  })

  test('behavior: Touchstone-Call-Key tells an intended duplicate from a repeat, and is not sent on', async () => {
    const proxy = await harness.start({ policy: { maxStrikes: 9 } })
    const seen: unknown[] = []
    harness.seller.character = {
      before: (call) => seen.push(call.headers['touchstone-call-key']) < 0,
      onPaid: (_, response) => void response.socket?.destroy(),
    }
    const ask = (key: string) => proxy.ask(proxy.weather, { headers: { 'Touchstone-Call-Key': key } })
    for (const key of ['1', '2', '2']) expect((await ask(key)).status).toBe(502)
    expect(proxy.counter.signatures).toBe(2)
    expect(new Set(seen)).toEqual(new Set([undefined]))
  })

  test('behavior: an agent that has gone is signed for no more', async () => {
    const proxy = await harness.start()
    let onAsked = () => {}
    const asked = new Promise<void>((resolve) => {
      onAsked = resolve
    })
    const gate: (() => void)[] = []
    harness.service.fault = (_, response) => {
      onAsked()
      gate.push(async () =>
        response.end(JSON.stringify(await harness.service.answer(`${harness.seller.url}/weather`))),
      )
      return true
    }
    const call = request(proxy.address, {
      path: proxy.weather,
      headers: { 'Touchstone-Token': TOKEN },
      agent: false,
    })
    call.on('error', () => {}).end()
    await asked
    call.destroy()
    harness.service.fault = null
    for (const open of gate) open()
    // An equal call is judged by itself, so the first has signed nothing.
    expect((await proxy.ask(proxy.weather)).status).toBe(200)
    expect(proxy.counter.signatures).toBe(1)
  })
})

describe('what the proxy survives', () => {
  const raw = (address: string, head: string) => {
    const { port, host } = new URL(address)
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
    socket.write(`${head}\r\nHost: ${host}\r\nTouchstone-Token: ${TOKEN}\r\n`)
    return socket
  }

  test('error: an agent that leaves while the name of its target is looked up', async () => {
    const proxy = await harness.start()
    let answer = (_: string) => {}
    const asked = new Promise<void>((resolve) => {
      answerLookups(() => {
        resolve()
        return new Promise((done) => {
          answer = done
        })
      })
    })
    const socket = raw(proxy.address, 'POST /http://slow.example/ HTTP/1.1')
    socket.write('Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n')
    await asked
    socket.destroy()
    await once(socket, 'close')
    answer('127.0.0.1')
    expect((await proxy.ask(proxy.weather)).status).toBe(200)
  })

  test('behavior: it stops although a CONNECT is held open', async () => {
    const proxy = await harness.start()
    const socket = raw(proxy.address, 'CONNECT api.example.com:443 HTTP/1.1')
    socket.write('\r\n')
    await once(socket, 'data')
    await proxy.stop()
    socket.destroy()
  })

  test('default: a connection that sends no request is closed within a minute', () => {
    const { server } = createProxy({ tasks: new Map() } as unknown as ProxyDeps)
    expect([server.headersTimeout, server.requestTimeout]).toEqual([60_000, 900_000])
  })

  test('error: a socket whose group cannot be set is not served', async () => {
    const socket = join(tmpdir(), `touchstone-${process.pid}.sock`)
    const place = { socket, gid: 2 ** 32 }
    await expect(harness.start({ place })).rejects.toThrow('its group or mode cannot be set')
    await expect(askProxy(socket, '/')).rejects.toThrow(/ENOENT|ECONNREFUSED/)
  })

  /** Two tasks, of which the second does nothing. */
  const tasks = new Map([
    [TOKEN, { name: 'greedy', maxUsd: '2.00' }],
    ['other', { name: 'modest', maxUsd: '2.00' }],
  ])
  const post = async (proxy: Awaited<ReturnType<typeof harness.start>>, token: string) => {
    const asked = { method: 'POST', body: 'x', headers: { 'Touchstone-Token': token } }
    const { status, text } = await proxy.ask(proxy.weather, asked)
    return [status, JSON.parse(text).code]
  }

  test('error: half-sent bodies of one task leave room for those of another', async () => {
    const proxy = await harness.start({ tasks })
    const held = Array.from({ length: 17 }, () => {
      const socket = raw(proxy.address, `POST ${proxy.weather} HTTP/1.1`)
      socket.write(`Content-Length: ${4 * 1024 * 1024}\r\n\r\na`)
      return socket
    })
    const refused = Promise.race(held.map((socket) => once(socket, 'data')))
    expect(String(await refused)).toMatch(/^HTTP\/1.1 503 /)
    expect((await post(proxy, 'other'))[0]).not.toBe(503)
    for (const socket of held) socket.destroy()
  })

  test('error: calls under way of one task leave room for those of another', async () => {
    const proxy = await harness.start({ tasks, maxCalls: 16 })
    harness.seller.character = { before: (call) => call.url?.endsWith('hang') === true }
    const hanging = Array.from({ length: 14 }, () => {
      const socket = raw(proxy.address, `GET ${proxy.weather}?hang HTTP/1.1`)
      socket.write('\r\n')
      return socket
    })
    await expect.poll(() => post(proxy, TOKEN)).toEqual([503, 'BUSY'])
    const other = { headers: { 'Touchstone-Token': 'other' } }
    expect((await proxy.ask(proxy.weather, other)).status).toBe(200)
    for (const socket of hanging) socket.destroy()
    await expect.poll(async () => (await proxy.ask(proxy.weather)).status).toBe(200)
  })

  test('error: connections without a request do not keep those of agents out', async () => {
    const proxy = await harness.start({ maxIdle: 20 })
    const kept = raw(proxy.address, `GET ${proxy.weather} HTTP/1.1`)
    kept.write('\r\n')
    await once(kept, 'data')
    const silent = Array.from({ length: 100 }, () =>
      connect(Number(new URL(proxy.address).port), '127.0.0.1'),
    )
    const closed = silent.map((socket) =>
      once(
        socket.on('error', () => {}),
        'close',
      ),
    )
    await Promise.all(closed.slice(0, 80))
    expect(silent.filter(({ closed: isClosed }) => !isClosed).length).toBeLessThanOrEqual(20)
    expect(kept.destroyed).toBe(false)
    expect((await proxy.ask(proxy.weather)).status).toBe(200)
    for (const socket of [kept, ...silent]) socket.destroy()
  })
})
