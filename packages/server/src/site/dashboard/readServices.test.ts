import { expect, test } from 'vitest'
import { createReadModel } from '../../readModel/createReadModel.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'
import { documentOf, NOON } from '../../store/testing/records.ts'
import { readListView, viewUrl } from './listView.ts'
import { createOverviewReader } from './readOverview.ts'
import { readServicePage } from './readServices.ts'

test('default: pages the services, worst verdict first or in another order, and stops at the last page', async () => {
  const clock = { now: () => NOON }
  const store = createMemoryStore(clock)
  for (let number = 0; number < 70; number++) {
    const doubt = number % 2 === 0 ? {} : { riskLevel: 'medium' as const, flags: ['price_high' as const] }
    const score = 100 - Math.floor(number / 4)
    for (const state of documentOf(`h${`${number}`.padStart(2, '0')}.example`, NOON).endpoints)
      await store.putEndpoint({ ...state, ...doubt, score })
  }
  const deps = { store, clock, publicUrl: '', readModel: await createReadModel(store) }
  const overview = await createOverviewReader(deps)()
  expect([overview.hosts, overview.hostVerdicts]).toEqual([70, { safe: 35, caution: 35 }])
  const read = async (search: string) => {
    const found = await readServicePage(deps, overview, readListView(search), NOON)
    return [found.services.length, found.services[0]?.profile.host, found.view.page, found.pages]
  }
  expect(await read('')).toEqual([25, 'h01.example', 1, 3])
  expect(await read('page=2')).toEqual([25, 'h51.example', 2, 3])
  expect(await read('sort=best')).toEqual([25, 'h00.example', 1, 3])
  expect(await read('sort=best&page=2')).toEqual([25, 'h50.example', 2, 3])
  expect(await read('sort=name&page=3')).toEqual([20, 'h50.example', 3, 3])
  expect(await read('verdict=safe&page=2')).toEqual([10, 'h50.example', 2, 2])
  expect(await read('verdict=caution&page=999999')).toEqual([10, 'h51.example', 2, 2])
  expect(await read('verdict=avoid')).toEqual([0, undefined, 1, 1])
  expect(await read('flag=price_high&sort=name&page=2')).toEqual([10, 'h51.example', 2, 2])
  expect(await read('verdict=safe&flag=price_high')).toEqual([0, undefined, 1, 1])
  expect(await read('verdict=safe&sort=name')).toEqual([25, 'h00.example', 1, 2])
  expect(await read('network=Base&verdict=safe')).toEqual([25, 'h00.example', 1, 2])
  expect(await read('network=Mars')).toEqual([0, undefined, 1, 1])
  expect(await read('price=high')).toEqual([0, undefined, 1, 1])
  expect(await read('directory=nowhere')).toEqual([0, undefined, 1, 1])
})

test('behavior: sorts by the price that live endpoints ask; services without a known price come last', async () => {
  const clock = { now: () => NOON }
  const store = createMemoryStore(clock)
  const prices = { a: [0.5], b: [0.002, 0.9], c: [null], d: [0.01], e: [0.01] }
  for (const [name, asked] of Object.entries(prices)) {
    const [state = expect.fail('no endpoint')] = documentOf(`${name}.example`, NOON).endpoints
    for (const [place, priceUsd] of asked.entries())
      await store.putEndpoint({ ...state, endpoint: `${state.endpoint}/${place}`, priceUsd })
    // A dark endpoint asks nothing any more.
    await store.putEndpoint({
      ...state,
      endpoint: `${state.endpoint}/dark`,
      priceUsd: 0.0001,
      status: 'dark',
    })
  }
  const deps = { store, clock, publicUrl: '', readModel: await createReadModel(store) }
  const overview = await createOverviewReader(deps)()
  const read = async (search: string) => {
    const { services } = await readServicePage(deps, overview, readListView(search), NOON)
    return services.map(({ profile }) => profile.host.slice(0, 1)).join('')
  }
  expect(await read('sort=cheap')).toBe('bdeac')
  expect(await read('sort=dear')).toBe('badec')
  expect(await read('sort=cheap&price=middle')).toBe('de')
  expect(viewUrl(readListView('sort=dear&verdict=safe'), { page: 2 })).toBe(
    '/?verdict=safe&sort=dear&page=2#services',
  )
})

test('behavior: links keep what is chosen, and invalid choices are ignored', () => {
  const view = readListView('verdict=avoid&flag=cloaked&directory=a%26b&sort=best&page=3')
  expect(viewUrl(view, { page: 4 })).toBe(
    '/?verdict=avoid&flag=cloaked&directory=a%26b&sort=best&page=4#services',
  )
  expect(viewUrl(view, { flag: undefined })).toBe('/?verdict=avoid&directory=a%26b&sort=best#services')
  expect(viewUrl(readListView('verdict=x&flag=__proto__&sort=y&page=0&price=z'), {})).toBe('/#services')
})
