import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { walletAt } from '@touchstone402/economy'
import { UNLISTED } from '../slowSellers.ts'
import { findSeller, profileOf, type Task, type Visitor, want } from './task.ts'

const BOX = /^URL or host of an x402 endpoint/
const TEXT = 'Text that was signed'
const SIGNATURE = 'Signature by the old receiver'

/** Types into the box of the home page and presses Check. */
export async function check(visitor: Visitor, text: string): Promise<number> {
  const { page, press } = visitor
  await visitor.open('/')
  await page.getByLabel(BOX).fill(text)
  return press(page.locator('main').getByRole('button', { name: 'Check', exact: true }))
}

/** Tasks of typical visitors. Each starts at the home page or at the target of an external link. */
export const questionTasks: readonly Task[] = [
  {
    name: 'should I pay this?',
    async run(visitor) {
      want('the status', await check(visitor, findSeller(visitor, 'honest-v2').url), 200)
      await visitor.see('Safe to pay')
      want('the status', await check(visitor, findSeller(visitor, 'swapped').url), 200)
      await visitor.see('Avoid')
    },
  },
  {
    name: 'should I pay this unlisted endpoint?',
    async run(visitor) {
      const { page, press, site } = visitor
      const { url, host } = findSeller(visitor, `slow-${visitor.device.index}`)
      await check(visitor, new URL(UNLISTED, url).href)
      if (!new URL(page.url()).pathname.startsWith('/scans/')) {
        await press(page.locator('main').getByRole('button', { name: 'Check now' }))
      }
      await visitor.see('Payment terms')
      await visitor.inspect('check-result')
      const profile = await fetch(`${site.origin}/services/${encodeURIComponent(host)}.json`)
      want('that it is unlisted', (await profile.text()).includes(UNLISTED), false)
    },
  },
  {
    name: 'why Avoid? show me',
    async run(visitor) {
      const { page, press } = visitor
      await check(visitor, findSeller(visitor, 'swapped').url)
      await visitor.see('Receiver changed')
      await press(page.locator('main a[href^="/incidents/"]').first())
      await visitor.see('Before')
      await visitor.inspect('incident')
      await press(page.locator('main a[href^="/observations/"]').first())
      await visitor.see(/0x[0-9a-fA-F]{6}/)
      await visitor.inspect('observation')
    },
  },
  {
    name: 'fix it and prove it: wrong text, wrong key, then right',
    async run(visitor) {
      const { page, press } = visitor
      await visitor.open(profileOf(visitor, 'swapped'))
      await press(page.locator('main a[href^="/owners/"]').first())
      const send = async (text: string, signature: string) => {
        await page.getByLabel(TEXT).fill(text)
        await page.getByLabel(SIGNATURE).fill(signature)
        return press(page.getByRole('button', { name: 'Check the signature' }))
      }
      const text = await page.getByLabel(TEXT).inputValue()
      const wallet = walletAt(findSeller(visitor, 'swapped').spec.receiver.index)
      const signature = await wallet.signMessage({ message: text })
      const wrong = text.replace(/^host: .*$/m, 'host: evil.example')
      want('the status of a wrong text', await send(wrong, signature), 400)
      await visitor.see('line 2 must be')
      want('what was typed', await page.getByLabel(SIGNATURE).inputValue(), signature)
      await visitor.inspect('announcement-refused')
      const stranger = await walletAt(100).signMessage({ message: text })
      want('the status of a wrong key', await send(text, stranger), 400)
      await visitor.see('not by the old receiver')
      want('the status of the right text', await send(text, signature), 200)
      await visitor.see('The signature is right.')
      await visitor.inspect('announcement-verified')
    },
  },
  {
    name: 'fix it and re-check',
    async run(visitor) {
      const { page, press, device } = visitor
      const { url } = findSeller(visitor, ['fake-asset', 'testnet'][device.index] ?? '')
      await check(visitor, url)
      await press(page.getByRole('button', { name: 'Re-check now' }))
      await visitor.see('Payment terms')
      await visitor.inspect('check-failed')
      await press(page.getByRole('button', { name: 'Re-check now' }))
      await visitor.see('Payment terms')
      await visitor.see('Before')
      await visitor.inspect('re-check')
    },
  },
  {
    name: 'show my verdict elsewhere: the badge',
    async run(visitor) {
      const { page, press } = visitor
      await visitor.open(profileOf(visitor, 'honest-v2'))
      await press(page.locator('main a[href^="/owners/"]').first())
      const badge = page.locator('main img[src^="/badge/"]')
      await badge.scrollIntoViewIfNeeded()
      const width = () => badge.evaluate((image) => (image as HTMLImageElement).naturalWidth)
      want('that the badge is drawn', (await width()) > 50, true)
      await visitor.inspect('owner')
    },
  },
  {
    name: 'watch a host',
    async run(visitor) {
      const { page, site } = visitor
      await visitor.open(profileOf(visitor, 'honest-v2'))
      const link = page.locator('main a[href$="/feed.rss"]').first()
      const feed = await page.context().request.get(site.origin + (await link.getAttribute('href')))
      want('the type of the feed', feed.headers()['content-type'], 'application/rss+xml; charset=utf-8')
    },
  },
  {
    name: 'recompute a verdict',
    async run(visitor) {
      const { page, press } = visitor
      await visitor.open('/')
      await press(page.getByRole('link', { name: 'Log', exact: true }))
      await visitor.see('guard log follow')
      await visitor.see('log recompute URL')
    },
  },
  {
    name: 'buy the dataset',
    async run(visitor) {
      const { page, press } = visitor
      await visitor.open('/')
      await press(page.getByRole('link', { name: /^(Docs|API)$/ }).first())
      await visitor.see('/trust/dataset')
      want('the status', await visitor.open('/trust/dataset'), 402)
      await visitor.see('$0.1')
      await visitor.see('A sample, free')
      await visitor.inspect('payment')
    },
  },
  {
    name: 'pay by curl',
    async run(visitor) {
      await visitor.open('/docs')
      await visitor.see('/whales')
      const { stdout } = await promisify(execFile)('curl', ['-si', `${visitor.site.origin}/whales`])
      want('that curl gets the terms', /^HTTP\/1.1 402 .*\r\nPAYMENT-REQUIRED: /is.test(stdout), true)
    },
  },
  {
    name: 'put the guard in front of it',
    async run(visitor) {
      await visitor.open(profileOf(visitor, 'post-only'))
      await visitor.see('createGuardedFetch')
      await visitor.see(/method: "POST"/)
    },
  },
  {
    name: 'who runs it?',
    async run(visitor) {
      const { page, press } = visitor
      await visitor.open('/')
      await press(page.getByRole('contentinfo').getByRole('link', { name: 'About' }))
      await visitor.see('Who runs')
      await visitor.inspect('about')
    },
  },
]
