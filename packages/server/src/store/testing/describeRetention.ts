import { describe, expect, test } from 'vitest'
import type { Fact } from '../../facts/facts.ts'
import { DAY } from '../../facts/times.ts'
import { readEndpointFacts, readReceiverRecords } from '../facts.ts'
import { readCited, readObservations } from '../observations.ts'
import { aState } from './documents.ts'
import { aListing, anIncident, anObservation, aReceiver, NOON } from './records.ts'
import { type Home, useStore } from './useStore.ts'

const ENDPOINT = 'https://api.example/a'

/** Tests how a store drops what is older than 90 days. */
export function describeRetention(name: string, createHome: () => Promise<Home>): void {
  describe(`${name} retention`, () => {
    const home = useStore(createHome)
    const probe = (id: string, days: number) => anObservation({ id, at: NOON + days * DAY, problems: [id] })
    const probeAt = (id: string, days: number) =>
      home.store.write('putEndpoint', aState({ derivedAt: NOON + days * DAY, reasons: [] }), {
        facts: [probe(id, days)],
        days: [],
      })
    const kept = async () => (await readObservations(home.store, ENDPOINT)).map(({ id }) => id)

    test('default: a probe drops those past the retention', async () => {
      await home.store.write('append', [probe('o1', 0), probe('o2', 0.1), probe('o3', 5)])
      await probeAt('o4', 90)
      expect(await kept()).toEqual(['o1', 'o2', 'o3', 'o4'])
      await probeAt('o5', 94)
      expect(await kept()).toEqual(['o3', 'o4', 'o5'])
      await probeAt('o6', 200)
      expect(await readObservations(home.store, ENDPOINT)).toEqual([probe('o6', 200)])
    })

    test('behavior: keeps the probes that incidents cite', async () => {
      const incident = anIncident({ observations: ['o2', 'never'] })
      await home.store.write('append', [probe('o1', 0), probe('o2', 0), probe('o3', 0)])
      await home.store.write('append', [{ kind: 'incident', id: 'f', at: NOON, incident }])
      await probeAt('o4', 100)
      await probeAt('o5', 200)
      expect(await kept()).toEqual(['o2', 'o5'])
      expect(await readCited(home.store, ENDPOINT, ['o1', 'o2', 'o5'])).toEqual([
        probe('o2', 0),
        probe('o5', 200),
      ])
    })

    test('behavior: keeps what a reason cites for as long as it stands', async () => {
      const of = (evidence: string[]) => [
        { code: 'dark', severity: 'critical' as const, message: '', evidence },
      ]
      const judged = (days: number, evidence: string[], facts: Fact[]) =>
        home.store.write(
          'putEndpoint',
          aState({ derivedAt: NOON + days * DAY, reasons: evidence.length > 0 ? of(evidence) : [] }),
          { facts, days: [] },
        )
      const listed = (id: string, days: number) => aListing({ id, at: NOON + days * DAY })
      await judged(0, ['o1', 'l1'], [probe('o1', 0), probe('o2', 0), listed('l1', 0)])
      const listings = async () =>
        (await readEndpointFacts(home.store, ENDPOINT)).listings.map(({ id }) => id)
      await judged(100, ['o1', 'l1'], [probe('o3', 100), listed('l2', 100)])
      expect([await kept(), await listings()]).toEqual([
        ['o1', 'o3'],
        ['l1', 'l2'],
      ])
      await judged(101, [], [])
      await judged(102, [], [probe('o4', 102), listed('l3', 102)])
      expect([await kept(), await listings()]).toEqual([
        ['o3', 'o4'],
        ['l2', 'l3'],
      ])
    })

    test('behavior: leaves other endpoints and their probes alone', async () => {
      const other = anObservation({ id: 'x', endpoint: `${ENDPOINT}/b`, at: NOON })
      await home.store.write('append', [probe('o1', 0), other])
      await probeAt('o2', 100)
      expect(await readObservations(home.store, other.endpoint)).toEqual([other])
    })

    test('behavior: of old records of a receiver the first stays', async () => {
      const days = [0, 1, 2, 50, 95]
      const records = days.map((day) => aReceiver({ id: `r${day}`, at: NOON + day * DAY }))
      for (const record of records) await home.store.write('append', [record])
      const { network, address } = aReceiver()
      const at = async (day: number) =>
        (await readReceiverRecords(home.store, network, address, NOON + day * DAY)).map(({ id }) => id)
      expect(await at(99)).toEqual(['r0', 'r95'])
      expect(await at(60)).toEqual(['r0', 'r50'])
      expect(await at(3)).toEqual(['r0'])
    })
  })
}
