import { expect, test } from 'vitest'
import type { EndpointState } from '../facts/hostDocument.ts'
import { DAY, MINUTE } from '../facts/times.ts'
import { judge, up } from '../judge/testing/facts.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { documentOf, NOON } from '../store/testing/records.ts'
import { withReads } from '../store/testing/withFaults.ts'
import { createLookalikes } from './createLookalikes.ts'

const hostOf = (name: string) => new URL(`https://${name}/`).host
const CYRILLIC = hostOf('p\u0430ypal.example')

/** Opens the look-up over hosts, oldest first. */
async function open(...names: string[]) {
  const clock = { time: NOON }
  const store = createMemoryStore()
  const list = async (name: string, firstSeen: number) => {
    const [state] = documentOf(hostOf(name), NOON).endpoints as readonly EndpointState[]
    if (state !== undefined) await store.write('putEndpoint', { ...state, firstSeen })
  }
  for (const [age, name] of names.entries()) await list(name, NOON - (names.length - age) * DAY)
  let reads = 0
  const counted = withReads(store, 'host', (rows, { sql }) => {
    if (sql.includes('"rank"')) reads += 1
    return rows
  })
  return { lookalike: createLookalikes(counted, () => clock.time), clock, list, readsOf: () => reads }
}

test('default: a host with a Cyrillic letter looks like the older host without one, whatever its port or subdomain', async () => {
  const { lookalike } = await open('other.example', 'paypal.example', 'p\u0430ypal.example')
  expect(await lookalike(CYRILLIC)).toBe('paypal.example')
  expect(await lookalike(`${CYRILLIC}:8443`)).toBe('paypal.example')
  expect(await lookalike(`x402.${CYRILLIC}`)).toBe('paypal.example')
})

test('behavior: an honest international name without a twin looks like nobody', async () => {
  const names = ['bucher.example', 'primer.example', 'bücher.example', 'пример.example']
  const { lookalike } = await open(...names)
  for (const name of names) expect([name, await lookalike(hostOf(name))]).toEqual([name, undefined])
})

test('behavior: whoever was listed first keeps its name, however many twins are listed later', async () => {
  const { lookalike } = await open('p\u0430ypal.example', 'paypal.example', 'p\u0430yp\u0430l.example')
  expect(await lookalike(CYRILLIC)).toBeUndefined()
  expect(await lookalike('paypal.example')).toBeUndefined()
  expect(await lookalike(hostOf('p\u0430yp\u0430l.example'))).toBe(CYRILLIC)
})

test('behavior: hosts of one international domain do not look like each other', async () => {
  const { lookalike } = await open(`a.${CYRILLIC}`, CYRILLIC, `b.${CYRILLIC}`)
  for (const host of [CYRILLIC, `b.${CYRILLIC}`]) expect(await lookalike(host)).toBeUndefined()
})

test('behavior: names are read for international hosts alone, and at most every ten minutes', async () => {
  const { lookalike, list, clock, readsOf } = await open('other.example')
  for (const host of ['a.example', 'paypal.example', 'localhost:8402']) await lookalike(host)
  expect(readsOf()).toBe(0)
  await lookalike(CYRILLIC)
  await list('paypal.example', NOON)
  expect([await lookalike(CYRILLIC), readsOf()]).toEqual([undefined, 1])
  clock.time += 10 * MINUTE
  expect([await lookalike(CYRILLIC), readsOf()]).toEqual(['paypal.example', 2])
})

test('default: score 1.3.0, rule 18: a name that looks like an older one is Caution, and says which', () => {
  const host = CYRILLIC
  const probes = [0, 1, 2].map((hour) => up(NOON + hour * 60 * MINUTE))
  const { state } = judge(probes, { host, lookalike: 'paypal.example' })
  expect(state).toMatchObject({ riskLevel: 'medium', lookalike: 'paypal.example' })
  expect(state.flags).toContain('name_confusable')
  expect(state.reasons.find(({ code }) => code === 'name_confusable')?.message).toBe(
    `Its name, ${host} (p\u0430ypal.example, mixes Latin and Cyrillic), looks like paypal.example, which was listed before. Clears when that host is no longer listed.`,
  )
  expect(judge(probes, { host }).state.flags).not.toContain('name_confusable')
})
