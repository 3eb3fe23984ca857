import { startSeller } from '@touchstone402/guard/testing'
import type { Browser, BrowserContext } from 'playwright-core'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ONE_VIEW } from './browser/examinePage.ts'
import { inspectPage } from './browser/inspectPage.ts'
import { openBrowser } from './browser/openBrowser.ts'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'
import { type ProxyProcess, startProxyProcess } from './support/proxyProcess.ts'
import { serve } from './support/serve.ts'

checksNoAnswers('the page of a proxy, which has no service')

let browser: Browser
/** An operator who has signed in. */
let operator: BrowserContext
let seller: Awaited<ReturnType<typeof startSeller>>
let proxy: ProxyProcess
let address: string
let call: () => Promise<Response>

beforeAll(async () => {
  browser = await openBrowser()
  seller = await startSeller()
  const args = ['--port', '0', '--allow-host', new URL(seller.url).host]
  proxy = await startProxyProcess({ key: generatePrivateKey(), args: () => args })
  address = proxy.address
  const headers = { 'Touchstone-Token': proxy.tokens.default ?? '' }
  call = () => fetch(`${address}/${seller.url}/weather`, { headers })
  operator = await browser.newContext({
    httpCredentials: { username: 'operator', password: proxy.pagePassword },
  })
})
afterAll(async () => {
  await browser?.close()
  await proxy?.stop()
  await seller?.close()
})

/** Checks the page, with and without scripts. */
async function inspect() {
  const { faults, requests } = await inspectPage(operator, `${address}/`, {
    plain: operator,
    views: ONE_VIEW,
  })
  // Its one style stands in the page itself, by its hash in the policy.
  const { injected, ...others } = faults
  expect([...Object.values(others).flat(), injected.length, requests]).toEqual([1, 1])
}

test('default: the page has no fault', async () => {
  expect((await call()).status).toBe(200)
  await inspect()
})

test('default: the operator stops all payments, allows them again, and approves a dearer call', async () => {
  const page = await operator.newPage()
  await page.goto(`${address}/`)
  expect(await page.textContent('body')).toMatch(/settled\$0\.01GET http/)
  await page.click('text=STOP all payments')
  expect(await page.textContent('.stopped')).toBe('Payments are stopped.')
  expect((await call()).status).toBe(402)
  await page.click('text=Allow payments again')
  await page.waitForSelector('text=STOP all payments')
  seller.behavior = 'swaps_receiver'
  const { approval } = await (await call()).json()
  await page.reload()
  expect(await page.textContent('body')).toContain(`touchstone approve ${approval.id} --show`)
  expect(await page.textContent('dl')).toMatch(/Receiver before0x\w+: it has changed/)
  await inspect()
  await page.click('text=Approve once')
  await page.waitForSelector('text=Nothing waits for you.')
  expect((await call()).status).toBe(200)
  seller.behavior = 'delivers'
  await page.close()
})

/** Attacks of a page on the proxy that its visitor is signed in to. */
const ATTACK = (to: string, target: string) => `<!doctype html><title>Evil</title>
<iframe src="${to}/"></iframe><img src="${to}/${target}">
<form id="f" method="post" action="${to}/stop" target="frame"></form><iframe name="frame"></iframe>
<script>
const requests = ['${to}/', '${to}/stop', '${to}/${target}', '${to}/approvals'].flatMap((url) => [
  fetch(url, { credentials: 'include' }),
  fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include' }),
  fetch(url, { headers: { 'Touchstone-Token': 'guess' } }),
])
document.getElementById('f').submit()
Promise.allSettled(requests).then((all) => {
  document.title = all.filter(({ value }) => value && value.type !== 'opaque').length + ' read'
})
</script>`

test('error: a page of another origin reads nothing, pays nothing and stops nothing', async () => {
  const evil = await serve((_, response) =>
    response.setHeader('content-type', 'text/html').end(ATTACK(address, `${seller.url}/weather`)),
  )
  const before = seller.requests
  const page = await operator.newPage()
  // Signs in, so that the browser has the password at hand.
  await page.goto(`${address}/`)
  await page.goto(evil.url.replace('127.0.0.1', 'localhost'))
  await page.waitForFunction("document.title.endsWith(' read')")
  expect(await page.title()).toBe('0 read')
  const frames = await Promise.all(page.frames().map((frame) => frame.textContent('body')))
  expect([frames.length, frames.join()]).toEqual([3, expect.not.stringMatching(/Budget|STOP/)])
  await page.goto(`${address}/`)
  expect(await page.textContent('body')).not.toContain('Payments are stopped.')
  expect(seller.requests).toBe(before)
  await page.close()
  await evil.stop()
})
