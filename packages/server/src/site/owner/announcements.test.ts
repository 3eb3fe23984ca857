import { OwnerSchema } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { DAY } from '../../facts/times.ts'
import { checkAnnouncement } from '../../owners/announcement.ts'
import { endConfirmations } from '../../owners/confirmations.ts'
import { readHostFacts } from '../../store/facts.ts'
import { formerReceiver, openClaimed, receiver } from '../testing/openClaimed.ts'
import { faultOf } from '../testing/openOwned.ts'
import { HTML } from '../testing/openPages.ts'
import { SAMPLE_NOW } from '../testing/sampleServices.ts'

const SINCE = '2026-11-21T10:42:00.000Z'

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
  await store.write('append', [{ kind: 'announcement', id: 'ann_1', at, validFrom: at, ...terms }])
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
    (await readHostFacts(store, host)).announcements.filter(({ basis }) => basis === 'host_confirmed')
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
    expect((await readHostFacts(store, host)).announcements).toEqual([])
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
