import { OwnerSchema } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { listOpenDisputes } from '../../owners/disputes.ts'
import { readReplies } from '../../owners/replies.ts'
import { listWebhooks } from '../../owners/webhook.ts'
import { readHost } from '../../store/hosts.ts'
import { openClaimed } from '../testing/openClaimed.ts'
import { faultOf, openOwned } from '../testing/openOwned.ts'
import { HTML } from '../testing/openPages.ts'

/** An exact offer of five dollars. */
const TERM = {
  x402Version: 2,
  scheme: 'exact',
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  amountAtomicMin: '5000000',
  amountAtomicMax: '5000000',
  method: 'GET',
} as const

const SINCE = '2026-11-21T10:42:00.000Z'
const HOOK = 'https://hooks.example/in?token=a'

test('default: a host is claimed by the file that its page asks for', async () => {
  const { origin, host, path, conduct, read, claim, page, publish } = await openClaimed()
  const { secret, file } = await read()
  expect(file.url).toBe(`http://${host}/.well-known/touchstone.txt`)
  publish(`# ours\r\n${file.line}\r\n`)
  const answer = await claim({ method: 'file', secret })
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
  expect(await answer.json()).toEqual({ host, method: 'file', since: SINCE, token: file.line })
  expect(conduct.asked).toEqual([`${host}/.well-known/touchstone.txt`])
  const dates = { since: SINCE, checkedAt: SINCE, nextCheckAt: '2026-11-22T10:42:00.000Z' }
  expect((await read()).claims).toEqual([{ method: 'file', ...dates }])
  expect(await page(`/services/${host}`)).toMatch(/Claimed since 2026-11-21/)
  expect(await page(path)).toMatch(
    /<b>Claimed by a file<\/b> since .* checked again by <time[^>]*2026-11-22/s,
  )
  expect(await (await fetch(`${origin}/services/${host}.json`)).text()).not.toMatch(/claim/i)
})

test('default: a host is claimed by a TXT record, in any of its strings', async () => {
  const { records, read, claim } = await openClaimed()
  const { secret, dns } = await read()
  expect(dns.name).toBe('_touchstone.shop.test')
  records.set(dns.name, [['v=spf1 -all'], [dns.value.slice(0, 20), dns.value.slice(20)]])
  expect(await (await claim({ method: 'dns', secret })).json()).toMatchObject({ method: 'dns', since: SINCE })
})

test('rule: the published line is worth nothing to others, nor at another service', async () => {
  const { read, claim, publish } = await openClaimed()
  const mine = await read()
  publish(mine.file.line)
  const others = await read()
  expect(others.secret).not.toBe(mine.secret)
  expect(await faultOf(await claim({ method: 'file', secret: others.secret }))).toContain('other_token')
  const elsewhere = await openClaimed('https://other.example')
  elsewhere.publish(mine.file.line)
  const refused = await elsewhere.claim({ method: 'file', secret: mine.secret })
  expect(await faultOf(refused)).toContain('other_token')
})

test.each([
  ['file', 'not_found', 404, ''],
  ['file', 'redirected', 301, ''],
  ['file', 'http_error', 401, ''],
  ['file', 'no_token', 200, '<!doctype html><p>Not here</p>'],
  ['file', 'too_large', 200, 'x'.repeat(4097)],
  ['dns', 'no_txt', 200, ''],
])('error: says what is wrong with a claim by %s: %s', async (method, code, status, text) => {
  const { conduct, read, claim } = await openClaimed()
  conduct.answer = (_request, response) => void response.writeHead(status, { location: '/moved' }).end(text)
  const { secret } = await read()
  expect(await faultOf(await claim({ method, secret }))).toEqual([400, 'method', code])
  expect(conduct.asked.join()).not.toContain('/moved')
})

test('error: a browser gets the page again, with the fault at its form and what was typed', async () => {
  const { post, conduct, read } = await openClaimed()
  const wrong = await post('claims', { method: 'file', secret: 'short' }, HTML.headers)
  expect([wrong.status, wrong.headers.get('cache-control')]).toEqual([400, 'private, no-store'])
  const shown = await wrong.text()
  expect(shown).toMatch(/<input id="f-claims-secret"[^>]*aria-invalid="true"[^>]*value="short"/)
  expect(shown).toMatch(/id="f-claims-secret-note" role="alert">expected the 43 characters/)
  // A line of another secret than the one in the field could never be proven.
  expect(shown).not.toContain('touchstone-claim=')
  expect(conduct.asked).toEqual([])
  const { secret } = await read()
  const unproven = await (await post('claims', { method: 'file', secret }, HTML.headers)).text()
  expect(unproven).toContain(`value="${secret}"`)
  expect(unproven).toMatch(/answered HTTP 404.*Check the file/s)
  const hostile = { text: '</textarea><b>x', secret: 'no', about: 'https://x.example/' }
  const dispute = await (await post('disputes', hostile, HTML.headers)).text()
  expect(dispute).toMatch(/id="f-disputes-secret-note" role="alert">this secret proves no claim/)
  expect(dispute).toContain('&lt;/textarea>&lt;b>x')
  expect(dispute).not.toContain('</textarea><b>')
})

test('rule: a stranger can neither reply, dispute nor add a webhook at a claimed host', async () => {
  const { post, read, host, secret, endpoint, ctx } = await openOwned()
  const { secret: another } = await read()
  for (const [part, fields] of [
    ['disputes', { about: endpoint, text: 'Not ours.' }],
    ['replies', { about: endpoint, text: 'Not ours.' }],
    ['webhooks', { url: HOOK }],
  ] as const) {
    expect(await faultOf(await post(part, fields))).toEqual([400, 'secret', 'missing'])
    for (const wrong of [another, 'A'.repeat(43), `${secret}A`])
      expect(await faultOf(await post(part, { ...fields, secret: wrong }))).toEqual([
        400,
        'secret',
        'not_held',
      ])
  }
  expect([
    await listOpenDisputes(ctx),
    await listWebhooks(ctx.store, ctx.clock.now()),
    await readReplies(ctx, host),
  ]).toEqual([[], [], []])
  const elsewhere = await openClaimed()
  expect(elsewhere.host).not.toBe(host)
  expect(await faultOf(await elsewhere.post('webhooks', { url: HOOK, secret }))).toContain('not_held')
})

test('default: the owner adds a webhook, sees its secret once, and removes it', async () => {
  const { host, secret, post, page, path, ctx } = await openOwned()
  const answer = await post('webhooks', { url: HOOK, secret })
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([202, 'private, no-store'])
  const created = await answer.json()
  expect(created).toMatchObject({ host, url: HOOK, secret: expect.stringMatching(/^whsec_/) })
  expect(created).toMatchObject({ state: 'unconfirmed', expiresAt: '2027-11-21T10:42:00.000Z' })
  expect(await page(path)).not.toContain(created.secret)
  const { id } = created
  const remove = (fields: Record<string, string>) => post('webhooks/remove', fields)
  expect(await faultOf(await remove({ url: HOOK, secret: created.secret }))).toContain('not_held')
  expect(await faultOf(await remove({ url: `${HOOK}b`, secret }))).toEqual([400, 'url', 'unknown'])
  expect(await (await remove({ url: HOOK, secret })).json()).toEqual({ id, removed: true })
  expect(await listWebhooks(ctx.store, ctx.clock.now())).toEqual([])
  const shown = await post('webhooks', { url: HOOK, secret }, HTML.headers)
  expect(await shown.text()).toContain('whsec_')
})

function listForms(html: string, path: string) {
  const forms = [...html.matchAll(/<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)]
  return forms
    .filter(([, action]) => action?.startsWith(path))
    .map(([, action = '', body = '']) => ({
      form: action.slice(path.length + 1).replace(/#.*/, ''),
      hidden: Object.fromEntries(
        [...body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [
          name,
          value,
        ]),
      ),
    }))
}

test('default: the secret is entered once, and every form that needs it then carries it', async () => {
  const { path, page, post, secret, endpoint } = await openOwned()
  const first = await page(path)
  expect(listForms(first, path).map(({ form }) => form)).toEqual(['claims', 'announcements'])
  expect(first.match(/name="secret"/g)).toHaveLength(1)
  expect(first.match(/Enter your secret in <a href="#claims">step 1<\/a> first/g)).toHaveLength(3)
  const opened = await (
    await post('claims', { method: 'held', secret, about: endpoint, endpoint }, HTML.headers)
  ).text()
  const isCarried = (html: string) => {
    const forms = listForms(html, path).filter(({ form }) => form !== 'claims')
    expect(forms.map(({ form }) => form)).toEqual(['announcements', 'replies', 'disputes', 'webhooks'])
    for (const { hidden } of forms) expect(hidden).toMatchObject({ secret, endpoint })
    expect(html).not.toContain('step 1</a> first')
    for (const [, address] of html.matchAll(/(?:href|action|src)="([^"]*)"/g))
      expect(address).not.toContain(secret)
  }
  isCarried(opened)
  // The subject in the URL fills in the fields.
  expect(opened).toMatch(new RegExp(`id="f-replies-about"[^>]* value="${endpoint}"`))
  const fields = { ...listForms(opened, path).find(({ form }) => form === 'disputes')?.hidden }
  const sent = await post(
    'disputes',
    { ...fields, about: endpoint, text: 'We moved our wallet.' },
    HTML.headers,
  )
  const shown = await sent.text()
  expect([sent.status, sent.headers.get('cache-control')]).toEqual([202, 'private, no-store'])
  isCarried(shown)
  expect(shown).toContain('That it is open is public now')
  // A form that succeeded is empty again.
  expect(shown).not.toContain('We moved our wallet')
  isCarried(
    await (await post('replies', { ...fields, about: endpoint, text: 'a.example' }, HTML.headers)).text(),
  )
})

test('error: a secret in an address, or of no claim, is carried nowhere', async () => {
  const { path, page, post, secret, read } = await openOwned()
  expect(await page(`${path}?secret=${secret}`)).not.toContain(secret)
  const { secret: another } = await read()
  expect(await faultOf(await post('claims', { method: 'held', secret: another }))).toEqual([
    400,
    'secret',
    'not_held',
  ])
  const refused = await (await post('claims', { method: 'held', secret: another }, HTML.headers)).text()
  expect(listForms(refused, path).filter(({ hidden }) => 'secret' in hidden)).toEqual([])
})

test('default: each problem names its fix, and leads to the step that does it', async () => {
  const { path, page, host, endpoint } = await openOwned()
  const html = await page(path)
  expect(html).toMatch(/payto_changed<\/a><br\/><b>Fix:<\/b> .* <a href="[^"]*#announcements">Step 2/)
  const targets = [...html.matchAll(/<a href="[^"#]*#([^"]*)">Step /g)].map(([, id]) => id)
  expect(targets.length).toBeGreaterThan(1)
  expect(html).toContain(`<a href="${path}?${new URLSearchParams({ endpoint })}#announcements">Step 2`)
  for (const id of targets) expect(html).toContain(` id="${id}"`)
  for (const [section, steps] of [
    ['claims', '1. Claim your host'],
    ['answer', '2. Answer a finding'],
    ['follow', '3. Check, follow, show'],
  ])
    expect(html).toContain(`<h2 id="${section}">${steps}</h2>`)
  // So does the profile.
  expect(await page(`/services/${host}`)).toMatch(/<b>Fix:<\/b>[^<]*<a href="\/owners\/[^"]*#announcements">/)
})

test('behavior: a problem leads to the section for its endpoint, and carries a secret that was entered', async () => {
  const { path, page, post, store, secret, host, endpoint } = await openOwned()
  const [state] = (await readHost(store, host))?.endpoints ?? []
  if (state === undefined) throw new Error('the host has an endpoint')
  const accused = `${endpoint}/other?a=1&b="2`
  const reason = { code: 'host_accused', severity: 'warn' as const, message: 'Accused.', evidence: [] }
  await store.write('putEndpoint', { ...state, endpoint: accused, reasons: [reason] })
  const query = new URLSearchParams({ about: accused })
  expect(await page(path)).toContain(`<a href="${path}?${query}#disputes">Step 2: dispute it`)
  const held = await (await post('claims', { method: 'held', secret }, HTML.headers)).text()
  const stepOf = (section: string) =>
    new RegExp(`action="[^"]*/claims#${section}">(?:(?!</form>).)*>Step 2`, 's').exec(held)?.[0]
  expect(stepOf('announcements')).toContain(`name="endpoint" value="${endpoint}"`)
  const dispute = stepOf('disputes')
  expect(dispute).toContain(`name="about" value="${endpoint}/other?a=1&amp;b=&quot;2"`)
  expect(dispute).toContain(`name="secret" value="${secret}"`)
  expect(held).not.toMatch(/<a href="[^"]*">Step /)
})

test('default: the page says how to claim a host in three sentences, and offers the badge as Markdown and HTML', async () => {
  const { path, page, host } = await openClaimed()
  const html = await page(path)
  const steps = [
    'Save this secret.',
    'Publish the line below \\(its hash\\).',
    'Come back and enter the saved secret; this page shows a new one on each visit.',
  ]
  expect(html).toMatch(new RegExp(steps.map((step) => `<li>${step}`).join('.*'), 's'))
  const badge = `https://touchstone.example/badge/${encodeURIComponent(host)}.svg`
  const profile = `https://touchstone.example/services/${encodeURIComponent(host)}`
  expect(html).toContain(`<code>[![Verdict on ${host}](${badge})](${profile})</code>`)
  expect(html).toContain(`&lt;a href=&quot;${profile}&quot;>&lt;img src=&quot;${badge}&quot;`)
  expect(html).toMatch(/What happens next: .* within minutes/s)
})

test('rule: an unlisted host can be claimed; text that is no host is not shown', async () => {
  const { origin, post } = await openClaimed()
  const unlisted = await fetch(`${origin}/owners/New.example`, HTML)
  expect(unlisted.status).toBe(200)
  expect(await unlisted.text()).toMatch(/https:\/\/new\.example\/\.well-known\/touchstone\.txt/)
  const noHost = await fetch(`${origin}/owners/${encodeURIComponent('stole my USDC')}`, HTML)
  expect(noHost.status).toBe(404)
  expect(await noHost.text()).not.toContain('stole')
  const statuses = new Set<number>()
  for (let count = 0; count < 32; count++) statuses.add((await post('claims', {})).status)
  expect([...statuses]).toEqual([400, 429])
})

test('behavior: the forms of earlier versions still work at their old addresses', async () => {
  const { origin, host, read, publish } = await openClaimed()
  const { secret, file } = await read()
  publish(file.line)
  const body = new URLSearchParams({ host, method: 'file', secret })
  expect((await fetch(`${origin}/claims`, { method: 'POST', body })).status).toBe(200)
  const old = await fetch(`${origin}/disputes?host=${host}`, { redirect: 'manual' })
  expect([old.status, old.headers.get('location')]).toEqual([301, `/owners/${encodeURIComponent(host)}`])
})

test('rule 13: the owner page shows the exact payment that funds a test purchase of a dear call', async () => {
  const opened = await openOwned()
  expect((await opened.read()).funding).toEqual([])
  expect(await opened.page(opened.path)).not.toContain('Fund a test purchase')
  const [state] = (await readHost(opened.store, opened.host))?.endpoints ?? []
  if (state === undefined) throw new Error('the host has an endpoint')
  const term = { ...TERM, payTo: `${state.payTo}` }
  const shopping = { network: TERM.network, perCallUsd: 0.05 }
  const delivery = {
    status: 'cannot_be_bought',
    month: null,
    paidUsd: null,
    reason: 'price_above_limit',
  } as const
  const unproven = [{ code: 'unproven', severity: 'warn' as const, message: 'No delivery.', evidence: [] }]
  await opened.store.write('putEndpoint', { ...state, reasons: unproven })
  expect(await opened.page(opened.path)).toMatch(/>unproven<(?:(?!<li>).)*#check">Step 3: check now/s)
  await opened.store.write('putEndpoint', { ...state, terms: [term], shopping, delivery, reasons: unproven })
  const { funding } = OwnerSchema.parse(await opened.read())
  expect(funding).toMatchObject([{ endpoint: state.endpoint, from: state.payTo, to: `0x${'5e'.repeat(20)}` }])
  expect(funding[0]?.amountUsd).toMatch(/^5\.00\d{1,4}$/)
  const shown = await opened.page(opened.path)
  expect(shown).toContain(`${funding[0]?.amountUsd}`)
  expect(shown).toMatch(/#funding">Step 2: fund a test purchase/)
  expect(shown).toContain(' id="funding"')
})
