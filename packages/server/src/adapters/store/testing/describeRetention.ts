import { describe, expect, test } from 'vitest'
import type { Observation } from '../../../domain/facts/facts.ts'
import type { Carried } from '../../../domain/facts/hostDocument.ts'
import { DAY } from '../../../domain/facts/times.ts'
import { aCarried, aDocument } from './documents.ts'
import { anIncident, anObservation, NOON } from './records.ts'
import { type Home, listOf, useStore } from './useStore.ts'

const ENDPOINT = 'https://api.example/a'

/** Stands in for the carried state: lists the ids that it was carried over in its version. */
function carryIds(before: Carried | undefined, looks: readonly Observation[]) {
  const ids = [...(before ? [before.scoreVersion] : []), ...looks.map(({ id }) => id)]
  const lastAt = looks.at(-1)?.at ?? before?.lastAt ?? 0
  return { carried: aCarried({ scoreVersion: ids.join(' '), lastAt }), days: [] }
}

/** Tests how a store that keeps looks for 10 days drops older ones. */
export function describeRetention(name: string, createHome: () => Promise<Home>): void {
  describe(`${name} retention`, () => {
    const home = useStore(createHome, { retentionDays: 10, carry: carryIds })
    const look = (id: string, days: number) => anObservation({ id, at: NOON + days * DAY })
    const lookAt = (id: string, days: number) =>
      home.store.putEndpoint(aDocument({ derivedAt: NOON + days * DAY }), {
        facts: [look(id, days)],
        days: [],
      })
    const kept = async () => (await listOf(home.store.looks(ENDPOINT))).map(({ id }) => id)

    test('default: a look drops those past the retention and stores what they carry', async () => {
      await home.store.append([look('o1', 0), look('o2', 0.1), look('o3', 5)])
      await lookAt('o4', 8)
      expect(await kept()).toEqual(['o1', 'o2', 'o3', 'o4'])
      expect(await home.store.base(ENDPOINT)).toBeUndefined()
      await lookAt('o5', 20)
      expect(await kept()).toEqual(['o5'])
      expect(await home.store.base(ENDPOINT)).toEqual(
        aCarried({ scoreVersion: 'o1 o2 o3 o4', lastAt: NOON + 8 * DAY }),
      )
      expect(await listOf(home.store.looks(ENDPOINT, { from: 0 }))).toEqual([look('o5', 20)])
    })

    test('behavior: carries on from what earlier dropped looks carried', async () => {
      await home.store.append([look('o1', 0)])
      await lookAt('o2', 15)
      await lookAt('o3', 30)
      await lookAt('o4', 45)
      expect(await kept()).toEqual(['o4'])
      expect(await home.store.base(ENDPOINT)).toEqual(
        aCarried({ scoreVersion: 'o1 o2 o3', lastAt: NOON + 30 * DAY }),
      )
    })

    test('behavior: keeps the looks that incidents cite', async () => {
      const incident = anIncident({ observations: ['o2', 'never'] })
      await home.store.append([look('o1', 0), look('o2', 0), look('o3', 0)])
      await home.store.append([{ kind: 'incident', id: 'f', at: NOON, incident }])
      await lookAt('o4', 20)
      await lookAt('o5', 40)
      expect(await kept()).toEqual(['o5'])
      expect(await home.store.cited(ENDPOINT, ['o1', 'o2', 'o5'])).toEqual([look('o2', 0), look('o5', 40)])
    })

    test('behavior: leaves other endpoints and their looks alone', async () => {
      const other = anObservation({ id: 'x', endpoint: `${ENDPOINT}/b`, at: NOON + 15 * DAY })
      await home.store.append([look('o1', 0), other])
      await lookAt('o2', 20)
      expect(await listOf(home.store.looks(other.endpoint))).toEqual([other])
      expect(await home.store.base(other.endpoint)).toBeUndefined()
    })
  })
}
