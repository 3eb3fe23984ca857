import { expect, test } from 'vitest'
import { createMemoryStore } from '../../adapters/store/memory/createMemoryStore.ts'
import { documentOf, NOON } from '../../adapters/store/testing/records.ts'
import { createReadModel } from '../../readModel/createReadModel.ts'
import { putState } from '../../readModel/testing/putHosts.ts'
import { readListView } from './listView.ts'
import { createOverviewReader } from './readOverview.ts'
import { readServicePage } from './readServices.ts'

test('default: pages the services of a verdict, best first, and stops at the last page', async () => {
  const clock = { now: () => NOON }
  const store = createMemoryStore(clock)
  for (let number = 0; number < 70; number++) {
    const doubt = number % 2 === 0 ? {} : { riskLevel: 'medium' as const, flags: ['price_high' as const] }
    const score = 100 - Math.floor(number / 4)
    for (const state of documentOf(`h${`${number}`.padStart(2, '0')}.example`, NOON).endpoints)
      await putState(store, { ...state, ...doubt, score })
  }
  const deps = { store, clock, publicUrl: '', readModel: await createReadModel(store) }
  const overview = await createOverviewReader(deps)()
  expect([overview.hosts, overview.hostVerdicts]).toEqual([70, { safe: 35, caution: 35 }])
  const read = async (verdict: string | undefined, page: string) => {
    const found = await readServicePage(deps, overview, readListView(verdict, page), NOON)
    return [found.services.length, found.services[0]?.host, found.view.page, found.pages]
  }
  expect(await read(undefined, '1')).toEqual([25, 'h00.example', 1, 3])
  expect(await read(undefined, '2')).toEqual([25, 'h50.example', 2, 3])
  expect(await read('safe', '2')).toEqual([10, 'h50.example', 2, 2])
  expect(await read('caution', '999999')).toEqual([10, 'h51.example', 2, 2])
  expect(await read('avoid', '1')).toEqual([0, undefined, 1, 1])
})
