import { nameClient } from '../nameClient.ts'
import { SILENT } from '../slowSellers.ts'
import { check } from './questions.ts'
import { findSeller, type Task, type Visitor, want } from './task.ts'

/** Going wrong, and on from there. */
export const errorTasks: readonly Task[] = [
  {
    name: 'see what is wrong with a URL',
    async run(visitor) {
      want('the status', await check(visitor, 'ftp://files.example/a'), 200)
      await visitor.see('Not a URL, host or receiver address')
      await visitor.inspect('check-refused')
    },
  },
  {
    name: 'go on from a page that is not there',
    async run(visitor) {
      const { page, press } = visitor
      want('the status', await visitor.open('/no/such/page'), 404)
      await page.getByRole('searchbox').fill('nobody.example')
      want('the next status', await press(page.getByRole('button', { name: 'Check' }).first()), 200)
      await visitor.see('Unknown')
    },
  },
  {
    name: 'learn what a paid answer costs and how to pay',
    async run(visitor) {
      const { url } = findSeller(visitor, 'honest-v2')
      want('the status', await visitor.open(`/trust?endpoint=${encodeURIComponent(url)}`), 402)
      for (const text of ['$0.005', 'How to pay']) await visitor.see(text)
    },
  },
  {
    name: 'get along with the keyboard alone',
    async run(visitor) {
      const { page } = visitor
      await visitor.open('/')
      await page.keyboard.press('Tab')
      const focused = () => page.evaluate(() => document.activeElement?.getAttribute('href'))
      want('the first stop', await focused(), '#main')
      await page.keyboard.press('Enter')
      want('the place', new URL(page.url()).hash, '#main')
      // Every stop must be seen: an outline, a border or a shadow that the others lack.
      await page.keyboard.press('Tab')
      const outline = await page.evaluate(() => {
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(
          document.activeElement ?? document.body,
        )
        return boxShadow !== 'none' || (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2)
      })
      want('that the focus is seen', outline, true)
    },
  },
]

/** Checks endpoints of a site that never answer, until its limit is reached. */
async function useUp(visitor: Visitor): Promise<void> {
  const { url } = findSeller(visitor, 'slow-3')
  for (let index = 0; index < 40; index++) {
    const response = await fetch(`${visitor.site.origin}/scans`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'X-Forwarded-For': nameClient(), Accept: 'application/json' },
      body: new URLSearchParams({ url: new URL(`${SILENT}/${index}`, url).href }),
    })
    if (response.status === 429 || response.status === 503) return
  }
  throw new Error('no limit was reached')
}

/** Tasks that leave the service busy. */
export const LAST_TASKS: readonly Task[] = [
  {
    name: 'see when to come back after a limit is reached',
    async run(visitor) {
      const { page, press } = visitor
      await useUp(visitor)
      const url = new URL(`${SILENT}/once-more`, findSeller(visitor, 'slow-3').url).href
      await visitor.open('/')
      await page
        .getByLabel(/^URL or host of an x402 endpoint/)
        .first()
        .fill(url)
      let status = await press(page.locator('main').getByRole('button', { name: 'Check' }).first())
      if (status === 200)
        status = await press(page.locator('main').getByRole('button', { name: 'Check now' }))
      want('that a limit is reached', status === 429 || status === 503, true)
      want('what was typed', await page.locator('main input[name=url]').inputValue(), url)
      await visitor.see('npx @touchstone402/guard scan')
      await visitor.inspect('error-429')
    },
  },
]
