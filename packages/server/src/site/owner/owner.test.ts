import { OwnerSchema } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { DAY } from '../../facts/times.ts'
import { checkAnnouncement } from '../../owners/announcement.ts'
import { endConfirmations } from '../../owners/confirmations.ts'
import { formerReceiver, openClaimed, receiver } from '../testing/openClaimed.ts'
import { faultOf, openOwned } from '../testing/openOwned.ts'
import { HTML } from '../testing/openPages.ts'
import { SAMPLE_NOW } from '../testing/sampleServices.ts'

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
  const { post, read, host, secret, endpoint, desk, webhooks, replies } = await openOwned()
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
  expect([await desk.open(), await webhooks.list(), await replies.of(host)]).toEqual([[], [], []])
  const elsewhere = await openClaimed()
  expect(elsewhere.host).not.toBe(host)
  expect(await faultOf(await elsewhere.post('webhooks', { url: HOOK, secret }))).toContain('not_held')
})

test('default: the owner adds a webhook, sees its secret once, and removes it', async () => {
  const { host, secret, post, page, path, webhooks } = await openOwned()
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
  expect(await webhooks.list()).toEqual([])
  const shown = await post('webhooks', { url: HOOK, secret }, HTML.headers)
  expect(await shown.text()).toContain('whsec_')
})

test('default: an announcement is signed, checked, published and checked again', async () => {
  const { host, read, post, page, store, conduct } = await openClaimed()
  const offered = await read()
  expect(OwnerSchema.parse(offered)).toEqual(offered)
  const [change] = offered.announcements
  if (change === undefined) throw new Error('no change')
  const { endpoint, text, validFrom, firstSeenAt } = change
  const addresses = [formerReceiver, receiver].map(({ address }) => address.toLowerCase())
  expect(text).toBe(
    `x402 receiver rotation\nhost: ${host}\nnetwork: eip155:8453\nold: ${addresses[0]}\nnew: ${addresses[1]}\nvalid from: ${validFrom}`,
  )
  expect(Date.parse(validFrom)).toBeLessThanOrEqual(Date.parse(`${firstSeenAt}`))
  const signature = await formerReceiver.signMessage({ message: text })
  const checked = await (await post('announcements', { endpoint, text, signature })).json()
  const publish = { network: 'eip155:8453', newPayTo: addresses[1], validFrom, signature }
  expect(checked).toEqual({ endpoint, verified: true, published: false, publish })

  const published = () => post('announcements', { endpoint, method: 'published' })
  expect(await faultOf(await published())).toEqual([400, 'published', 'missing'])
  conduct.document = JSON.stringify({ rotations: [{ ...publish, validFrom: '2026-01-01T00:00:00Z' }] })
  expect(await faultOf(await published())).toEqual([400, 'published', 'other_key'])
  conduct.document = JSON.stringify({ rotations: [publish] })
  expect(await (await published()).json()).toEqual({ endpoint, verified: true, published: true })

  // Records that the next probe would write.
  const ownerPage = `/owners/${encodeURIComponent(host)}`
  expect(await page(ownerPage)).toMatch(/someone else answers for your host[\s\S]*Text that was signed/)
  const [oldPayTo, newPayTo] = [formerReceiver.address, receiver.address]
  const terms = {
    host,
    network: 'eip155:8453',
    oldPayTo,
    newPayTo,
    basis: 'signature',
    txHash: null,
  } as const
  const at = Date.parse(validFrom)
  await store.append([{ kind: 'announcement', id: 'ann_1', at, validFrom: at, ...terms }])
  const shown = await page(ownerPage)
  expect(shown).toContain('<b>Announced</b>')
  expect(shown).not.toMatch(/someone else answers|Text that was signed/)
})

test('error: says which line of a signed text is wrong, or that another key signed', async () => {
  const { read, post } = await openClaimed()
  const [change] = (await read()).announcements
  if (change === undefined) throw new Error('no change')
  const { endpoint, text, validFrom } = change
  const fault = async (message: string, signer = formerReceiver) => {
    const signature = await signer.signMessage({ message })
    return (await faultOf(await post('announcements', { endpoint, text: message, signature }))).join(' ')
  }
  const third = `0x${'9'.repeat(40)}`
  expect(await fault(text.replace('host: ', 'host: x.'))).toBe('400 text other_text')
  expect(await fault(text.replace('eip155:8453', 'eip155:1'))).toBe('400 text other_text')
  expect(await fault(text.replace(/old: .*/, `old: ${third}`))).toBe('400 text other_text')
  expect(await fault(text.replace(/new: .*/, `new: ${third}`))).toBe('400 text other_text')
  expect(await fault(text.replace(/new: .*/, `new: ${receiver.address}`))).toBe('400 text other_text')
  expect(await fault(text.replace(validFrom, '2026-11-21T00:00:00Z'))).toBe('400 text too_late')
  expect(await fault(text.replace(validFrom, 'today'))).toBe('400 text malformed')
  expect(await fault(`${text}\nmore`)).toBe('400 text other_text')
  expect(await fault(text, receiver)).toBe('400 signature other_key')
  for (const signature of ['', 'none', '0x12', `0x${'00'.repeat(65)}`])
    expect(await faultOf(await post('announcements', { endpoint, text, signature }))).toContain('signature')
})

test('behavior: who plans a new receiver fills its address into the text', async () => {
  const [oldPayTo, newPayTo] = [formerReceiver, receiver].map(({ address }) => address.toLowerCase())
  const plan = { host: 'a.example', endpoints: ['https://a.example/'], network: 'eip155:8453' }
  const text = `x402 receiver rotation\nhost: a.example\nnetwork: eip155:8453\nold: ${oldPayTo}\nnew: address of the new receiver\nvalid from: ${SINCE}`
  const change = {
    ...plan,
    oldPayTo: `${oldPayTo}`,
    newPayTo: null,
    firstSeenAt: null,
    announcedFrom: null,
    validFrom: SINCE,
    text,
    amountAtomic: null,
  }
  const check = async (text: string) =>
    checkAnnouncement(change, text, await formerReceiver.signMessage({ message: text }))
  expect(await check(text)).toMatchObject({ parameter: 'text', code: 'malformed' })
  const filled = text.replace(/new: .*/, `new: ${newPayTo}`)
  expect(await check(filled)).toEqual({
    network: 'eip155:8453',
    newPayTo,
    validFrom: SINCE,
    signature: expect.stringMatching(/^0x/),
  })
})

/** Claims the host of the sample some days ago, whose receiver changed six days ago. */
async function openClaimedBefore(days: number, method: 'dns' | 'file') {
  const opened = await openClaimed()
  const { conduct, records, read, claim, publish } = opened
  conduct.now = SAMPLE_NOW - days * DAY
  const { secret, dns, file } = await read()
  records.set(dns.name, [[dns.value]])
  publish(file.line)
  expect((await claim({ method, secret })).status).toBe(200)
  conduct.now = SAMPLE_NOW
  const [change] = (await read()).announcements.filter(({ firstSeenAt }) => firstSeenAt !== null)
  const confirm = () =>
    opened.post('confirmations', { endpoint: change?.endpoint ?? '', secret }, { accept: 'application/json' })
  return { ...opened, confirm, change, secret }
}

/** Lists the forms of a page that belong to the owner page, by their path below it, with their hidden fields. */
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
  const [state] = (await store.host(host))?.endpoints ?? []
  if (state === undefined) throw new Error('the host has an endpoint')
  const accused = `${endpoint}/other?a=1&b="2`
  const reason = { code: 'host_accused', severity: 'warn' as const, message: 'Accused.', evidence: [] }
  await store.putEndpoint({ ...state, endpoint: accused, reasons: [reason] })
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

test('default: score 1.3.0, rule 11: the owner who claimed the host by DNS before a change confirms it', async () => {
  const opened = await openClaimedBefore(20, 'dns')
  const { host, confirm, store, page, path, change, secret } = opened
  expect(await page(path)).toMatch(
    /you claimed this host by DNS on .*2026-11-01.*Caution on .*2026-11-22.*ends on .*2026-12-15/s,
  )
  const shown = await opened.post('claims', { method: 'held', secret }, HTML.headers)
  expect(await shown.text()).toContain('Confirm the change')
  const answer = await confirm()
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({
    endpoint: change?.endpoint,
    countsFrom: expect.stringMatching(/Z$/),
  })
  const confirmed = async () =>
    (await store.hostFacts(host)).announcements.filter(({ basis }) => basis === 'host_confirmed')
  expect(await confirmed()).toMatchObject([{ at: SAMPLE_NOW, claimedAt: SAMPLE_NOW - 20 * DAY }])
  expect(await page(path)).toMatch(/you confirmed the change on .*2026-11-21/)
  // Once the claim has ended, so has the confirmation.
  await endConfirmations(store, { host, method: 'dns' }, SAMPLE_NOW + DAY)
  await endConfirmations(store, { host, method: 'dns' }, SAMPLE_NOW + 2 * DAY)
  expect((await confirmed()).map(({ expiresAt }) => expiresAt)).toEqual([undefined, SAMPLE_NOW + DAY])
})

test('error: score 1.3.0, rule 11: a claim from after the change, or by a file, confirms nothing', async () => {
  for (const [days, method, code] of [
    [3, 'dns', 'too_late'],
    [20, 'file', 'not_dns'],
  ] as const) {
    const { confirm, store, host, page, path } = await openClaimedBefore(days, method)
    expect(await page(path)).toMatch(
      /no claim of this host by DNS is from before .*2026-11-15.*ends on .*2026-12-15/s,
    )
    const answer = await confirm()
    expect([answer.status, (await answer.json()).errors[0].code]).toEqual([400, code])
    expect((await store.hostFacts(host)).announcements).toEqual([])
  }
})

test('default: score 1.3.0, rule 10: the page shows the exact amount that announces a planned receiver', async () => {
  const { origin, path, conduct } = await openClaimed()
  // The change of the sample is long past, so another one may be planned.
  conduct.now += 60 * DAY
  const planned = `0x${'7'.repeat(40)}`
  const { announcements } = await (await fetch(`${origin}${path}.json?newPayTo=${planned}`)).json()
  const [{ amountAtomic, text }] = announcements
  expect(text).toContain(`new: ${planned}`)
  expect(amountAtomic).toMatch(/^[1-9]\d{0,3}$/)
  const html = await (await fetch(`${origin}${path}?newPayTo=${planned}`, HTML)).text()
  expect(html).toContain(`exactly 0.00${amountAtomic.padStart(4, '0')} USDC`)
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
  const [state] = (await opened.store.host(opened.host))?.endpoints ?? []
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
  await opened.store.putEndpoint({ ...state, reasons: unproven })
  expect(await opened.page(opened.path)).toMatch(/>unproven<(?:(?!<li>).)*#check">Step 3: check now/s)
  await opened.store.putEndpoint({ ...state, terms: [term], shopping, delivery, reasons: unproven })
  const { funding } = OwnerSchema.parse(await opened.read())
  expect(funding).toMatchObject([{ endpoint: state.endpoint, from: state.payTo, to: `0x${'5e'.repeat(20)}` }])
  expect(funding[0]?.amountUsd).toMatch(/^5\.00\d{1,4}$/)
  const shown = await opened.page(opened.path)
  expect(shown).toContain(`${funding[0]?.amountUsd}`)
  expect(shown).toMatch(/#funding">Step 2: fund a test purchase/)
  expect(shown).toContain(' id="funding"')
})
