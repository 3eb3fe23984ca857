import { expect, test } from 'vitest'
import { HTML, openPages, samplesOf } from '../testing/openPages.ts'

const HOST = 'api.skycast.dev'
const PATH = `/services/${HOST}/recheck`

async function open() {
  const asked: string[] = []
  const recheck = (host: string) => void asked.push(host)
  const origin = await openPages([...samplesOf(HOST), ...samplesOf('llm.quickinfer.net')], { recheck })
  return { asked, origin }
}

test('default', async () => {
  const { asked, origin } = await open()
  const answer = await fetch(origin + PATH, { headers: { Accept: 'application/json' } })
  expect(answer.status).toBe(202)
  expect(answer.headers.get('cache-control')).toContain('max-age=0')
  expect(await answer.json()).toMatchObject({
    host: HOST,
    profile: expect.stringContaining(`/services/${HOST}`),
  })
  expect(asked).toEqual([HOST])
})

test('behavior: redirects browsers to the profile, which offers the re-check', async () => {
  const { asked, origin } = await open()
  const answer = await fetch(origin + PATH, { ...HTML, redirect: 'manual' })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `/services/${HOST}`])
  expect(asked).toEqual([HOST])
  const page = await (await fetch(`${origin}/services/${HOST}`, HTML)).text()
  expect(page).toContain(`<form action="${PATH}" method="get">`)
  const without = await openPages(samplesOf(HOST))
  expect(await (await fetch(`${without}/services/${HOST}`, HTML)).text()).not.toContain('/recheck')
  expect((await fetch(without + PATH)).status).toBe(404)
})

test('error: refuses a second re-check of a host within an hour', async () => {
  const { asked, origin } = await open()
  await fetch(origin + PATH)
  const again = await fetch(origin + PATH)
  expect([again.status, (await again.json()).code]).toEqual([429, 'rechecked_lately'])
  expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(3500)
  expect((await fetch(`${origin}/services/llm.quickinfer.net/recheck`)).status).toBe(202)
  expect(asked).toEqual([HOST, 'llm.quickinfer.net'])
})

test('error: answers 404 for an unknown host, and limits attempts per client', async () => {
  const { asked, origin } = await open()
  const statuses: number[] = []
  for (let time = 0; time < 6; time++) {
    statuses.push((await fetch(`${origin}/services/nobody-${time}.example/recheck`)).status)
  }
  expect(statuses).toEqual([404, 404, 404, 404, 404, 429])
  expect(asked).toEqual([])
})
