import type { Verdict } from '@touchstone402/shared'
import { SCAN_CHECK_IDS } from '@touchstone402/shared/scan'
import { expect, test } from 'vitest'
import { createChecker } from '../contract/createChecker.ts'
import { useService } from '../support/economy.ts'

const HTML = { Accept: 'text/html' }
const HONEST = 'honest-v1'

const { economy, service } = await useService()

const verify = async (endpoint: string) => {
  const response = await fetch(`${service.url}/verify?endpoint=${encodeURIComponent(endpoint)}`)
  return (await response.json()) as Verdict
}

test('default: a public check of an endpoint gives a page and leaves the published verdict unchanged', async () => {
  const endpoint = economy.sellers[HONEST]?.url ?? ''
  const before = await verify(endpoint)
  expect(before.verdict).toBe('safe')
  const check = createChecker(await (await fetch(`${service.url}/openapi.json`)).json())
  const checked = async (path: string, init: RequestInit) => {
    const { status, headers, ...rest } = await fetch(service.url + path, {
      ...init,
      redirect: 'manual',
    }).then(async (response) => ({
      status: response.status,
      headers: response.headers,
      body: await response.text(),
    }))
    expect(check({ method: init.method ?? 'GET', path, status, headers, ...rest })).toEqual([])
    return { headers, ...rest }
  }
  const post = { method: 'POST', body: new URLSearchParams({ url: endpoint }), headers: HTML }
  const place = (await checked('/scans', post)).headers.get('location') ?? ''
  const read = async () => JSON.parse((await checked(`${place}.json`, {})).body)
  await expect.poll(async () => (await read()).state).toBe('done')

  const { result, ...rest } = await read()
  expect(rest).toMatchObject({ published: true, publication: 'listed', terms: [{ method: 'GET' }] })
  expect(rest.challenge.body + rest.challenge.header).toContain(rest.terms[0].payTo)
  expect(result).toMatchObject({ verdict: 'safe', score: before.score, method: 'GET' })
  const ids = result.checks.map(({ id }: { id: string }) => id)
  expect(ids).toEqual(expect.arrayContaining([...SCAN_CHECK_IDS, 'cloaked', 'payto_changed']))
  const failed = result.checks.filter(({ outcome }: { outcome: string }) => outcome === 'fail')
  expect(failed.filter(({ severity }: { severity: string }) => severity === 'critical')).toEqual([])
  expect((await checked(place, { headers: HTML })).body).toContain('No measured reason not to pay this')

  const after = await verify(endpoint)
  for (const field of ['verdict', 'score', 'riskLevel', 'flags', 'uptimePct', 'terms'] as const)
    expect(after[field]).toEqual(before[field])
})
