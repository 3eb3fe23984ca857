import { afterAll, beforeAll, expect, test } from 'vitest'
import { ONE_VIEW } from '../browser/examinePage.ts'
import { inspectPage } from '../browser/inspectPage.ts'
import { openBrowser } from '../browser/openBrowser.ts'
import { useService } from '../support/economy.ts'

// The release suite opens every kind of page.

const { economy, service } = await useService()
let browser: Awaited<ReturnType<typeof openBrowser>>

beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

const profileOf = (id: string) => `/services/${encodeURIComponent(economy.sellers[id]?.host ?? '')}`

test.each([
  ['the home page', '/'],
  ['the profile of a safe service', profileOf('honest-v2')],
  ['the profile of a service to avoid', profileOf('swapped')],
])('default: %s has no fault on a phone, with and without scripts', async (_, path) => {
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  const plain = await browser.newContext({ javaScriptEnabled: false })
  const { faults } = await inspectPage(context, service.url + path, { plain, views: ONE_VIEW })
  expect(Object.values(faults).flat()).toEqual([])
  await context.close()
  await plain.close()
})
