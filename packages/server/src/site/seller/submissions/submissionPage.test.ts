import { expect, test } from 'vitest'
import { type Look, NotPublicError, NotSoldError } from '../../../audit/createAuditor.ts'
import { HTML, openPages, samplesOf } from '../../testing/openPages.ts'

const HOST = 'api.skycast.dev'
const NEW = 'https://new.example/weather'

/** Serves the page over a first probe that ends as the test says. */
async function open() {
  const asked: string[] = []
  const ends: (() => void)[] = []
  let outcome: () => Look = () => {
    throw new Error('the store failed')
  }
  const lookSubmitted = async (endpoint: string) => {
    asked.push(endpoint)
    await new Promise<void>((resolve) => ends.push(resolve))
    return outcome()
  }
  const origin = await openPages(samplesOf(HOST), { lookSubmitted })
  const post = (url: string, headers: Record<string, string> = {}) =>
    fetch(`${origin}/submissions`, {
      method: 'POST',
      body: JSON.stringify({ url }),
      headers: { 'Content-Type': 'application/json', ...headers },
      redirect: 'manual',
    })
  const find = (url: string, init: RequestInit = {}) =>
    fetch(`${origin}/submissions?url=${encodeURIComponent(url)}`, { redirect: 'manual', ...init })
  const end = (how: typeof outcome) => {
    outcome = how
    for (const resolve of ends.splice(0)) resolve()
  }
  return { origin, asked, post, find, end }
}

test('default', async () => {
  const { asked, post, find, end } = await open()
  const answer = await post(`${NEW}?city=Rome#now`)
  expect(answer.status).toBe(202)
  expect(await answer.json()).toEqual({
    endpoint: NEW,
    state: 'waiting',
    progress: `https://touchstone.example/submissions?url=${encodeURIComponent(NEW)}`,
    profile: `https://touchstone.example/services/new.example?endpoint=${encodeURIComponent(NEW)}`,
  })
  const page = await find(NEW, HTML)
  expect([page.status, page.headers.get('refresh')]).toEqual([200, '2'])
  expect(await page.text()).toContain('is being probed')
  end(() => {
    throw new NotSoldError({ cause: 'not_paid', httpStatus: 200 })
  })
  await expect.poll(async () => (await (await find(NEW)).json()).state).toBe('refused')
  expect(await (await find(NEW)).json()).toMatchObject({
    reason: 'not_paid',
    detail: 'It answered without asking for payment. The answer was HTTP 200.',
  })
  const refused = await find(NEW, HTML)
  expect(refused.headers.get('refresh')).toBeNull()
  expect(await refused.text()).toContain('nothing was recorded')
  expect(asked).toEqual([NEW])
})

test('behavior: a known endpoint is shown and not probed', async () => {
  const { origin, asked, post, find } = await open()
  const profile = await (await fetch(`${origin}/services/${HOST}.json`)).json()
  const endpoint: string = profile.endpoints[0].endpoint
  expect(await (await post(endpoint)).json()).toMatchObject({ state: 'known' })
  for (const answer of [await post(endpoint, HTML.headers), await find(endpoint, HTML)]) {
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `/services/${HOST}?endpoint=${encodeURIComponent(endpoint)}`,
    ])
  }
  expect(asked).toEqual([])
})

test('behavior: a browser gets the form again with what is wrong', async () => {
  const { origin, post, find } = await open()
  const form = await (await fetch(`${origin}/submissions`, HTML)).text()
  expect(form).toContain('<form class="form" action="/submissions" method="post">')
  expect(form.match(/<main.*/s)?.[0].match(/probed within a minute/g)).toHaveLength(1)
  const wrong = await post('ftp://files.example/"><b>', HTML.headers)
  expect(wrong.status).toBe(400)
  const page = await wrong.text()
  expect(page).toMatch(/class="fault"[^>]*>expected the scheme http or https/)
  expect(page).not.toContain('<b>')
  expect(await (await post('', HTML.headers)).text()).toMatch(/class="fault"[^>]*>Enter the URL\./)
  const sent = await post(NEW, HTML.headers)
  expect([sent.status, sent.headers.get('location')]).toEqual([
    303,
    `/submissions?url=${encodeURIComponent(NEW)}`,
  ])
  expect((await find('https://never.example/')).status).toBe(404)
  expect((await find('nonsense')).status).toBe(400)
})

test('error: names the reason of a failed probe, and hides faults of ours', async () => {
  const { post, find, end } = await open()
  const reasonOf = async (url: string, how: () => Look) => {
    await post(url)
    end(how)
    await expect.poll(async () => (await (await find(url)).json()).state).toBe('refused')
    return (await (await find(url)).json()).reason
  }
  const fail = (error: Error) => () => {
    throw error
  }
  expect(await reasonOf('http://10.0.0.1/', fail(new NotPublicError('10.0.0.1')))).toBe('not_public')
  const refused = await (await find('http://10.0.0.1/', HTML)).text()
  expect(refused).toContain('or its port is not one that is probed')
  expect(await reasonOf('https://a.example/', fail(new Error('secret')))).toBe('own_fault')
})

test('error: limits submissions by domain, by client and by what waits', async () => {
  const ofSite = await open()
  const sites: number[] = []
  for (let index = 0; index < 6; index++) {
    sites.push((await ofSite.post(`https://s${index}.one.example/`)).status)
  }
  expect(sites).toEqual([202, 202, 202, 202, 202, 429])
  // A tenant of a platform is a site of its own.
  expect((await ofSite.post('https://tenant.vercel.app/')).status).toBe(202)

  const ofClient = await open()
  const clients: number[] = []
  for (let index = 0; index < 11; index++) {
    clients.push((await ofClient.post(`https://c${index}.com/`)).status)
  }
  expect(clients).toEqual([...Array(10).fill(202), 429])
  expect(ofClient.asked).toHaveLength(2)
})
