import { VERDICT_LABELS, type VerdictCode } from '@touchstone402/shared'
import { check } from './questions.ts'
import { findSeller, profileOf, type Task, want } from './task.ts'

const LIST = 'section[aria-labelledby=services]'
const ROWS = `${LIST} tbody tr`

/** Looking for a service, by name and in the list. */
export const searchTasks: readonly Task[] = [
  {
    name: 'find a service and open its profile',
    async run(visitor) {
      const { page } = visitor
      const { host } = findSeller(visitor, 'honest-v2')
      await check(visitor, host)
      want('the verdict', await page.locator('.verdict').textContent(), 'Safe to pay')
      want('the heading', await page.getByRole('heading', { level: 1 }).textContent(), host)
    },
  },
  {
    name: 'search for an endpoint, an unknown host and one that declines probes',
    async run(visitor) {
      await check(visitor, findSeller(visitor, 'swapped').url)
      await visitor.see('Do not pay this')
      await check(visitor, 'nobody.example')
      await visitor.see('Unknown is not safe.')
      await visitor.inspect('search-unknown')
      await check(visitor, findSeller(visitor, 'opted-out').host)
      await visitor.see('Declines probes')
    },
  },
  {
    name: 'narrow the list, sort it and turn its pages',
    async run(visitor) {
      const { page, press } = visitor
      await visitor.open('/')
      await press(page.getByRole('link', { name: /^Avoid \d+$/ }))
      const rows = await page.locator(ROWS).allTextContents()
      want(
        'that only avoided ones are listed',
        rows.length > 3 && rows.every((row) => row.includes('Avoid')),
        true,
      )
      await page.getByText('Sort and filter').click()
      await press(page.getByRole('link', { name: 'Receiver changed' }).last())
      const links = await page.locator(`${ROWS} th a`).evaluateAll((all) => all.map((one) => `${one}`))
      const flags = await Promise.all(links.map(async (link) => (await fetch(`${link}.json`)).json()))
      want(
        'that only changed receivers are listed',
        flags.length > 0 && flags.every((profile) => profile.flags.includes('payto_changed')),
        true,
      )
      await visitor.inspect('list-flag')
      await visitor.open('/')
      await page.getByText('Sort and filter').click()
      await press(page.getByRole('link', { name: 'By name' }))
      const names = await page.locator(`${ROWS} .host`).allTextContents()
      want('the order by name', names.join(), names.toSorted().join())
      await press(page.locator(LIST).getByRole('link', { name: /Next/ }))
      want('that page 2 has rows', (await page.locator(ROWS).count()) > 0, true)
    },
  },
  {
    name: 'read the same verdict in the list, on the profile and as data',
    async run(visitor) {
      const { page, site } = visitor
      for (const id of ['honest-v2', 'overpriced', 'swapped', 'dead', 'opted-out']) {
        const path = profileOf(visitor, id)
        const answer = await fetch(site.origin + path, { headers: { Accept: 'application/json' } })
        const { verdict } = (await answer.json()) as { verdict: VerdictCode }
        want(`the status of ${id}`, await visitor.open(path), 200)
        // A verdict that overrules the evidence is marked as such.
        const shown = (await page.locator('.verdict').textContent())?.split(' (')[0]
        want(`the verdict on ${id}`, shown, VERDICT_LABELS[verdict])
      }
    },
  },
  {
    name: "read a hostile seller's name as text",
    async run(visitor) {
      await visitor.open(profileOf(visitor, 'hostile-turned'))
      await visitor.see('Weather gnp.exe')
    },
  },
]
