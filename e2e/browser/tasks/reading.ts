import { USDC } from '@touchstone402/economy'
import { publishedClaims } from '../claimableSellers.ts'
import { check } from './questions.ts'
import { findSeller, profileOf, type Task, want } from './task.ts'

/** Reading a figure, and answering one. */
export const readingTasks: readonly Task[] = [
  {
    name: 'cite a number of a report',
    async run(visitor) {
      const { page, press, site } = visitor
      await visitor.open('/')
      await press(page.locator('main').getByRole('link', { name: 'Reports' }).first())
      await press(page.getByRole('link', { name: /^Permalink of Safe/ }).first())
      await visitor.see(/Touchstone, State of x402, \d{4}-\d\d-\d\d, method \d/)
      await visitor.inspect('series')
      for (const [ending, type] of [
        ['csv', 'text/csv; charset=utf-8'],
        ['png', 'image/png'],
      ] as const) {
        const link = page.locator(`main a[href$=".${ending}"]`).first()
        const file = await page.context().request.get(site.origin + (await link.getAttribute('href')))
        want(`the type of the ${ending}`, file.headers()['content-type'], type)
      }
    },
  },
  {
    name: 'reply to an accusation',
    async run(visitor) {
      const { page, press, device } = visitor
      const id = `claimable-${device.index}`
      await check(visitor, findSeller(visitor, id).host)
      await visitor.see('Test network')
      await press(page.locator('main a[href^="/owners/"]').first())
      const line = /touchstone-claim=[\w-]{43}/.exec((await page.locator('main').textContent()) ?? '')?.[0]
      publishedClaims.set(id, line ?? '')
      want('the status of the claim', await press(page.getByRole('button', { name: 'Check the file' })), 200)
      await visitor.see('Claimed by a file')
      const reply = `A sandbox, and meant to be one. (${device.name})`
      await page.getByLabel('Your reply').fill('See https://example.com for why')
      want('the status of a link', await press(page.getByRole('button', { name: 'Send the reply' })), 400)
      await page.getByLabel('Your reply').fill(reply)
      want('the status', await press(page.getByRole('button', { name: 'Send the reply' })), 200)
      await visitor.inspect('owner-replied')
      await visitor.open(profileOf(visitor, id))
      await visitor.see(reply)
      await visitor.see('The owner of the host says (verified by a file')
      await visitor.inspect('profile-replied')
    },
  },
  {
    name: "read a token's day",
    async run(visitor) {
      const { page, press } = visitor
      await visitor.open('/')
      await press(page.getByRole('navigation').getByRole('link', { name: 'Tokens' }).first())
      await press(page.locator(`main a[href^="/tokens/${USDC}" i]`).first())
      for (const text of ['Activity by hour', 'Net flow by address', 'Largest transfers'])
        await visitor.see(text)
    },
  },
  {
    name: "find what an endpoint's trust is",
    async run(visitor) {
      const { page, site } = visitor
      const { url, host } = findSeller(visitor, 'honest-v2')
      await check(visitor, host)
      await visitor.see('Endpoints')
      const row = page.locator('.endpoints tbody tr').filter({ has: page.locator(`[title="${url}"]`) })
      const profile = await fetch(`${site.origin}/services/${encodeURIComponent(host)}.json`)
      const { endpoints } = (await profile.json()) as { endpoints: { endpoint: string; trust: number }[] }
      const { trust } = endpoints.find(({ endpoint }) => endpoint === url) ?? {}
      want('the trust', (await row.locator('[data-name=Trust]').textContent())?.trim(), `${trust}`)
    },
  },
]
