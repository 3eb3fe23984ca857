import { createHash } from 'node:crypto'
import { encodeBase64Json } from '@touchstone402/shared'
import { describe, expect, test } from 'vitest'
import { asOperator, OPERATOR, TOKEN, useProxyHarness } from '../../testing/proxyHarness.ts'
import { type Message, messageOf, nonceOf, typedDataOf } from '../../testing/remoteSigner.ts'
import { HONEST } from '../../testing/seller.ts'
import { termOf } from '../../testing/service.ts'
import { readPagePassword } from '../cli/askOperator.ts'

const harness = useProxyHarness()

describe('what waits for the operator', () => {
  const caution = () => {
    const endpoint = `${harness.seller.url}/weather`
    const known = harness.service.decisions.get(endpoint)
    harness.service.decisions.set(endpoint, { ...known, verdict: 'caution' })
  }
  const idOf = (text: string): string => JSON.parse(text).approval.id

  test('default: a call that the policy asks about gets 403 with an id, and is paid once after the approval', async () => {
    caution()
    const proxy = await harness.start()
    const asked = await proxy.ask(proxy.weather)
    expect([asked.status, JSON.parse(asked.text)]).toMatchObject([
      403,
      {
        code: 'APPROVAL_PENDING',
        paid: false,
        offered: { amountUsd: '0.01' },
        approval: { id: expect.stringMatching(/^[0-9a-f]{12}$/), why: 'VERDICT_CAUTION' },
        remedy: expect.stringContaining('touchstone approve'),
      },
    ])
    const id = idOf(asked.text)
    expect(idOf((await proxy.ask(proxy.weather)).text)).toBe(id)
    const { data } = await proxy.command('GET', '/operator/approvals')
    expect(data).toMatchObject({ pending: [{ id, task: 'research', state: 'pending' }] })
    expect(await proxy.page()).toContain(`action="/approvals/${id}/approve"`)
    expect((await proxy.press(`/approvals/${id}/approve`)).status).toBe(303)
    expect((await proxy.ask(`${proxy.weather}?other`)).status).toBe(403)
    expect((await proxy.ask(proxy.weather)).status).toBe(200)
    expect((await proxy.ask(proxy.weather)).status).toBe(403)
    expect(proxy.counter.signatures).toBe(1)
  })

  test('behavior: an approval is for one task, one price and ten minutes', async () => {
    caution()
    let time = Date.now()
    const tasks = new Map([
      [TOKEN, { name: 'research', maxUsd: '2.00' }],
      ['other', { name: 'other', maxUsd: '2.00' }],
    ])
    const proxy = await harness.start({ tasks, now: () => time })
    const approve = async () => {
      const id = idOf((await proxy.ask(proxy.weather)).text)
      await proxy.command('POST', `/operator/approvals/${id}/approve`)
    }
    await approve()
    expect((await proxy.ask(proxy.weather, { headers: { 'Touchstone-Token': 'other' } })).status).toBe(403)
    harness.seller.character = { terms: [{ amount: '9000' }] }
    expect((await proxy.ask(proxy.weather)).status).toBe(403)
    harness.seller.character = {}
    time += 600_000
    expect((await proxy.ask(proxy.weather)).status).toBe(403)
    expect(proxy.counter.signatures).toBe(0)
  })

  test('behavior: what the operator refuses is refused, and not asked again', async () => {
    caution()
    const proxy = await harness.start()
    const id = idOf((await proxy.ask(proxy.weather)).text)
    const refuse = () => proxy.command('POST', `/operator/approvals/${id}/refuse`)
    expect(await refuse()).toMatchObject({ status: 200, data: { approval: { id, state: 'refused' } } })
    expect((await refuse()).status).toBe(404)
    const again = await proxy.ask(proxy.weather)
    expect([again.status, JSON.parse(again.text).code]).toEqual([402, 'VERDICT_CAUTION'])
  })

  test('behavior: an approval is for the body that was asked about', async () => {
    const { service, seller } = harness
    const terms = [termOf(HONEST, '10000', { method: 'POST' })]
    service.decisions.set(`${seller.url}/orders`, { verdict: 'caution', probes: 9, terms })
    const proxy = await harness.start()
    const order = (body: string) => proxy.ask(`/${seller.url}/orders?key=1`, { method: 'POST', body })
    const id = idOf((await order('one pencil')).text)
    expect(await proxy.page()).toContain(`<dt>Call</dt><dd>POST ${seller.url}/orders?key=1</dd>`)
    await proxy.command('POST', `/operator/approvals/${id}/approve`)
    expect((await order('a gift card')).status).toBe(403)
    expect((await order('one pencil')).status).toBe(200)
  })

  test('behavior: an approval of a JSON-RPC request is for that request by any id, and for no other', async () => {
    const { service, seller } = harness
    const terms = [termOf(HONEST, '10000', { method: 'POST' })]
    service.decisions.set(`${seller.url}/orders`, { verdict: 'caution', probes: 9, terms })
    const proxy = await harness.start()
    const headers = { 'Content-Type': 'application/json' }
    const order = (id: number, what: string) =>
      proxy.ask(`/${seller.url}/orders`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', id, method: 'buy', params: { what } }),
      })
    const id = idOf((await order(1, 'one pencil')).text)
    await proxy.command('POST', `/operator/approvals/${id}/approve`)
    expect((await order(2, 'a gift card')).status).toBe(403)
    expect((await order(3, 'one pencil')).status).toBe(200)
  })

  test('behavior: a refusal that no approval would lift, and a payment that was sent, are reported as they are', async () => {
    caution()
    const proxy = await harness.start()
    const id = idOf((await proxy.ask(proxy.weather)).text)
    const capped = await proxy.ask(proxy.weather, { headers: { 'Touchstone-Max-Usd': '0.001' } })
    expect([capped.status, JSON.parse(capped.text).code]).toEqual([402, 'OVER_CALL_LIMIT'])
    await proxy.command('POST', `/operator/approvals/${id}/approve`)
    const waits = async () => {
      await proxy.ask(proxy.weather, { headers: { 'Touchstone-Call-Key': '2' } })
    }
    harness.seller.character = { onPaid: (_, response) => void waits().then(() => response.destroy()) }
    const { status, text } = await proxy.ask(proxy.weather)
    expect([status, JSON.parse(text)]).toMatchObject([502, { code: 'NO_ANSWER', state: 'sent' }])
  })

  test('behavior: shows what was paid before and what is asked now, the body, and what remains', async () => {
    const { service, seller } = harness
    const terms = [termOf(HONEST, '90000', { method: 'POST' })]
    service.decisions.set(`${seller.url}/orders`, { verdict: 'safe', probes: 9, terms })
    const proxy = await harness.start()
    const url = `${seller.url}/orders?key=1`
    const order = (body: string) => proxy.ask(`/${url}`, { method: 'POST', body })
    expect((await order('first')).status).toBe(200)
    service.decisions.set(`${seller.url}/orders`, { verdict: 'caution', probes: 9, terms })
    seller.character = { terms: [{ amount: '90000' }] }
    const body = `<b>\u001b[2J\u202e${'x'.repeat(5000)}the end`
    const id = idOf((await order(body)).text)
    const sha256 = createHash('sha256').update(body).digest('hex')
    const { data } = await proxy.command('GET', `/operator/approvals/${id}`)
    expect(data).toMatchObject({
      approval: {
        question: {
          intent: { url, method: 'POST', payTo: HONEST, amountUsd: '0.09' },
          before: {
            payTo: expect.stringMatching(/^0x/),
            price: { usd: '0.01', isHere: true, paidAt: expect.stringMatching(/^2/) },
          },
          remainingUsd: '0.99',
          body: {
            bytes: Buffer.byteLength(body),
            sha256,
            head: expect.stringMatching(/^<b>\\u\{1b\}\[2J\\u\{202e\}x/),
          },
        },
      },
      body: Buffer.from(body).toString('base64'),
    })
    const page = await proxy.page()
    expect(page).toMatch(/<dt>Price before<\/dt><dd>usually \$0\.01, last on [\d-]{10}<\/dd>/)
    expect(page).toContain(`<dt>Body</dt><dd>${Buffer.byteLength(body)} bytes, SHA-256 ${sha256}</dd>`)
    expect(page).toContain('<dd>&#60;b&#62;\\u{1b}[2J\\u{202e}xxx')
    expect(page).toContain('xxthe end</dd>')
    expect(page).toContain(`touchstone approve ${id} --show`)
    expect(page).not.toContain('<b>')
  })

  test('behavior: an amount above askAboveUsd waits for the operator, whose yes pays it once', async () => {
    const proxy = await harness.start({ policy: { askAboveUsd: '0.005' } })
    const refused = await proxy.ask(proxy.weather)
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
      403,
      { code: 'APPROVAL_PENDING', approval: { why: 'OVER_ASK_LIMIT' } },
    ])
    // An agent is told to ask, and not which setting to change.
    expect(refused.text).not.toMatch(/askAboveUsd|hosts/)
    expect(await proxy.page()).toContain('at most $0.005 is paid without approval')
    await proxy.command('POST', `/operator/approvals/${idOf(refused.text)}/approve`)
    expect([(await proxy.ask(proxy.weather)).status, (await proxy.ask(proxy.weather)).status]).toEqual([
      200, 403,
    ])
  })

  test('behavior: keeps bodies of 8 MiB for the questions of a task', async () => {
    const { service, seller } = harness
    const terms = [termOf(HONEST, '10000', { method: 'POST' })]
    service.decisions.set(`${seller.url}/orders`, { verdict: 'caution', probes: 9, terms })
    const proxy = await harness.start()
    const ask = async (fill: string) => {
      const body = Buffer.alloc(4 * 1024 * 1024, fill)
      return (await proxy.ask(`/${seller.url}/orders`, { method: 'POST', body })).status
    }
    expect([await ask('a'), await ask('b'), await ask('c')]).toEqual([403, 403, 402])
  })

  test('behavior: at most a hundred questions of a task wait', async () => {
    const { service, seller } = harness
    const terms = service.decisions.get(`${seller.url}/weather`)?.terms ?? []
    const proxy = await harness.start({ policy: { velocity: { perHostPerMinute: 1000 } } })
    const statuses: number[] = []
    for (let call = 0; call <= 100; call++) {
      service.decisions.set(`${seller.url}/${call}`, { verdict: 'caution', probes: 9, terms })
      statuses.push((await proxy.ask(`/${seller.url}/${call}`)).status)
    }
    expect([statuses.filter((status) => status === 403).length, statuses.at(-1)]).toEqual([100, 402])
  })
})

describe('the page', () => {
  test('default: shows budgets and decisions, has no script, and takes nothing from elsewhere', async () => {
    const proxy = await harness.start()
    await proxy.ask(proxy.weather)
    const { status, headers, text } = await proxy.press('/', { method: 'GET' })
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^ ]+'; img-src data:; form-action 'self';/,
      ),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(text).not.toMatch(/<script|javascript:|\son[a-z]+=/i)
    expect(text).toContain(
      '<td>Task research</td><td class="n">$0.01</td><td class="n">$0.00</td><td class="n">$1.99</td>',
    )
    expect(text).toMatch(/<td>research<\/td><td>settled<\/td><td>\$0\.01<\/td><td>GET http/)
  })

  test('behavior: STOP stops every task before the next signature, until the operator allows payments', async () => {
    const proxy = await harness.start()
    expect((await proxy.press('/stop')).status).toBe(303)
    const stopped = await proxy.ask(proxy.weather)
    expect([stopped.status, JSON.parse(stopped.text).code]).toEqual([402, 'STOPPED'])
    expect(await proxy.page()).toContain('Payments are stopped.')
    await proxy.press('/resume')
    expect((await proxy.ask(proxy.weather)).status).toBe(200)
  })

  test("error: without the password of this start nothing is shown or done; a token and the operator's secret are none", async () => {
    const [proxy, other] = [await harness.start(), await harness.start()]
    const ofOther = await readPagePassword({ address: other.address, secret: OPERATOR })
    for (const path of ['/', '/stop', '/resume', '/approvals/0123456789ab/approve']) {
      const method = path === '/' ? 'GET' : 'POST'
      const bearer = { ...asOperator('', proxy.address), authorization: `Bearer ${OPERATOR}` }
      const wrong = ['', TOKEN, OPERATOR, ofOther].map((password) => asOperator(password, proxy.address))
      for (const headers of [bearer, ...wrong]) {
        const { status, text, headers: answered } = await proxy.ask(path, { method, headers })
        expect([status, answered['www-authenticate']]).toEqual([401, 'Basic realm="Touchstone proxy"'])
        expect(text).not.toContain('research')
      }
    }
    expect((await proxy.press('/stop', { method: 'GET' })).status).toBe(405)
    expect((await proxy.ask(proxy.weather)).status).toBe(200)
  })

  test('error: a form of an old browser, which sends neither Origin nor Sec-Fetch-Site, does nothing', async () => {
    const proxy = await harness.start()
    const headers = { Origin: null, 'Sec-Fetch-Site': null } as never
    expect((await proxy.press('/stop', { headers })).status).toBe(403)
    expect((await proxy.ask(proxy.weather)).status).toBe(200)
  })

  test('behavior: words of a seller stand in it as text', async () => {
    const proxy = await harness.start()
    await proxy.ask(`/${harness.seller.url}/<b>&"x"`)
    const text = await proxy.page()
    expect(text).not.toContain('<b>')
    expect(text).toContain('/%3Cb%3E&#38;%22x%22')
  })
})

describe('agents that sign with a library of their own', () => {
  const typedData = (from: string, change: Partial<Message> = {}) =>
    typedDataOf(messageOf(from, nonceOf(7), change))

  test('default: the approved 402 comes back, POST /sign signs for it, and the proxy sends the payment', async () => {
    const proxy = await harness.start({ signs: true })
    const shown = await proxy.ask(proxy.weather)
    expect(shown.status).toBe(402)
    const challenge = JSON.parse(Buffer.from(String(shown.headers['payment-required']), 'base64').toString())
    expect(challenge.accepts).toHaveLength(1)
    const { address } = JSON.parse((await proxy.ask('/account')).text)
    const data = typedData(address)
    const signed = await proxy.ask('/sign', { method: 'POST', body: JSON.stringify(data) })
    const { signature } = JSON.parse(signed.text)
    const payload = { signature, authorization: data.message }
    const payment = encodeBase64Json({
      x402Version: 2,
      accepted: challenge.accepts[0],
      payload,
      resource: challenge.resource,
    })
    const paid = await proxy.ask(proxy.weather, { headers: { 'PAYMENT-SIGNATURE': payment } })
    expect([paid.status, paid.text, paid.headers['touchstone-amount-usd']]).toEqual([
      200,
      '{"weather":"sunny"}',
      '0.01',
    ])
    const twice = await proxy.ask('/sign', { method: 'POST', body: JSON.stringify(data) })
    expect([twice.status, JSON.parse(twice.text).code]).toEqual([403, 'NO_INTENT'])
  })

  test('error: nothing else is signed', async () => {
    const proxy = await harness.start({ signs: true })
    const sign = async (body: string) => {
      const { status, text } = await proxy.ask('/sign', { method: 'POST', body })
      return [status, JSON.parse(text).code]
    }
    const from = proxy.account.address
    expect(await sign(JSON.stringify(typedData(from)))).toEqual([403, 'NO_INTENT'])
    await proxy.ask(proxy.weather)
    expect(await sign(JSON.stringify(typedData(from, { value: '10001' })))).toEqual([403, 'OFFER_CHANGED'])
    expect(await sign(JSON.stringify({ ...typedData(from), primaryType: 'Permit' }))).toEqual([
      403,
      'SIGNING_REFUSED',
    ])
    expect(await sign('{')).toEqual([400, 'BODY_INVALID'])
    expect(await sign(`"${'x'.repeat(65_536)}"`)).toEqual([400, 'BODY_INVALID'])
    expect((await proxy.ask('/sign')).status).toBe(405)
    expect(proxy.counter.signatures).toBe(0)
  })

  test('error: the approval of one task serves no other', async () => {
    const tasks = new Map([
      [TOKEN, { name: 'research', maxUsd: '2.00' }],
      ['other', { name: 'other', maxUsd: '2.00' }],
    ])
    const proxy = await harness.start({ signs: true, tasks })
    await proxy.ask(proxy.weather)
    const body = JSON.stringify(typedData(proxy.account.address))
    const { status, text } = await proxy.ask('/sign', {
      method: 'POST',
      body,
      headers: { 'Touchstone-Token': 'other' },
    })
    expect([status, JSON.parse(text).code]).toEqual([403, 'NO_INTENT'])
  })

  test('error: without --sign there is no signing', async () => {
    const proxy = await harness.start()
    expect((await proxy.ask('/sign', { method: 'POST', body: '{}' })).status).toBe(404)
    expect((await proxy.ask('/account')).status).toBe(404)
  })
})
