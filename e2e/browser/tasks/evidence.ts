import { profileOf, type Task, want } from './task.ts'

/** Checking what is said of a service. */
export const evidenceTasks: readonly Task[] = [
  {
    name: 'follow an incident to its look and to the log',
    async run(visitor) {
      const { page, leave } = visitor
      await visitor.open('/incidents?days=365')
      await leave(() => page.getByRole('link', { name: 'Receiver changed', exact: true }).first().click())
      want('the incident', new URL(page.url()).pathname.startsWith('/incidents/'), true)
      await leave(() =>
        page
          .getByRole('link', { name: /^Look obs_/ })
          .first()
          .click(),
      )
      await visitor.see('What was seen')
      await visitor.inspect('observation')
      await visitor.open('/log')
      await visitor.see('Newest checkpoint')
    },
  },
  {
    name: 'choose a range and a kind of incidents and changes',
    async run(visitor) {
      const { page, leave } = visitor
      await visitor.open('/incidents')
      await leave(() => page.getByRole('link', { name: '7 days' }).click())
      want('the range', new URL(page.url()).searchParams.get('days'), '7')
      await leave(() => page.getByRole('region', { name: 'By kind' }).getByRole('link').first().click())
      want('the kind', new URL(page.url()).searchParams.has('kind'), true)
      await visitor.open('/changes')
      await visitor.see('New service')
    },
  },
  {
    name: 'see the badge and the feeds of a service',
    async run(visitor) {
      const { page, site } = visitor
      await visitor.open(profileOf(visitor, 'honest-v2'))
      const badge = page.getByRole('region', { name: 'Badge' }).getByRole('img')
      await badge.scrollIntoViewIfNeeded()
      const width = () => badge.evaluate((image) => (image as HTMLImageElement).naturalWidth)
      want('that the badge is drawn', (await width()) > 50, true)
      const link = page.getByRole('link', { name: 'Follow by RSS' })
      const feed = await page.context().request.get(site.origin + (await link.getAttribute('href')))
      want('the type of the feed', feed.headers()['content-type'], 'application/rss+xml; charset=utf-8')
    },
  },
]
