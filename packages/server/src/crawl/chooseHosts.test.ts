import { expect, test } from 'vitest'
import { documentOf, NOON } from '../adapters/store/testing/records.ts'
import type { HostDocument } from '../domain/facts/hostDocument.ts'
import { DAY } from '../domain/facts/times.ts'
import { createHostChoice } from './chooseHosts.ts'

function setUp(hosts: readonly HostDocument[], limit?: number) {
  const time = { now: NOON }
  const choose = createHostChoice({
    readModel: { hosts: () => hosts },
    clock: { now: () => time.now },
    ...(limit !== undefined && { limit }),
  })
  return { time, choose }
}
const documents = (...names: string[]) => names.map((name) => documentOf(name, NOON))

test('default: chooses each host once a day', () => {
  const { time, choose } = setUp(documents('a.example', 'b.example'))
  expect(choose()).toEqual(['https://a.example', 'https://b.example'])
  time.now += DAY - 1
  expect(choose()).toEqual([])
  time.now += 1
  expect(choose()).toHaveLength(2)
})

test('behavior: chooses the remaining hosts next', () => {
  const { time, choose } = setUp(documents('a.example', 'b.example', 'c.example'), 2)
  expect(choose()).toEqual(['https://a.example', 'https://b.example'])
  expect(choose()).toEqual(['https://c.example'])
  time.now += DAY
  expect(choose()).toEqual(['https://a.example', 'https://b.example'])
})

test('behavior: skips hosts without a live endpoint', () => {
  const [host] = documents('a.example')
  if (host === undefined) throw new Error('no host')
  const endpoints = host.endpoints.map((endpoint) => ({ ...endpoint, status: 'dark' as const }))
  expect(setUp([{ ...host, endpoints }]).choose()).toEqual([])
})
