import { nameClient } from '../nameClient.ts'
import { SILENT } from '../slowSellers.ts'
import { findSeller, type Task, type Visitor, want } from './task.ts'

/** Endpoints that one client may submit in an hour, and one domain may have. */
const PER_CLIENT = 10
const PER_DOMAIN = 5

/** Going wrong, and on from there. */
export const errorTasks: readonly Task[] = [
  {
    name: 'correct a refused query in place',
    async run(visitor) {
      const { page, leave } = visitor
      want('the status', await visitor.open('/verify?endpoint=nonsense'), 400)
      await page.locator('[name=endpoint]').fill(findSeller(visitor, 'honest-v2').url)
      want(
        'the next status',
        await leave(() => page.getByRole('button', { name: 'Call /verify' }).click()),
        200,
      )
    },
  },
  {
    name: 'go on from a page that is not there',
    async run(visitor) {
      const { page, leave } = visitor
      want('the status', await visitor.open('/no/such/page'), 404)
      await page.getByRole('searchbox').fill('nobody.example')
      want('the next status', await leave(() => page.keyboard.press('Enter')), 200)
      await visitor.see('Unknown is not safe.')
    },
  },
  {
    name: 'learn what a paid answer costs and how to pay',
    async run(visitor) {
      const { url } = findSeller(visitor, 'honest-v2')
      want('the status', await visitor.open(`/trust?endpoint=${encodeURIComponent(url)}`), 402)
      for (const text of ['This answer costs $0.005', 'With the guard', 'With curl']) await visitor.see(text)
    },
  },
  {
    name: 'be told that a page takes no form',
    async run(visitor) {
      const { page, leave } = visitor
      await visitor.open('/rechecks')
      // What an old bookmarklet or a broken form does.
      await page.evaluate(() => document.querySelector('main form')?.setAttribute('action', '/methodology'))
      await page.getByLabel('Host', { exact: true }).fill('nobody.example')
      want('the status', await leave(() => page.getByRole('button', { name: 'Re-check now' }).click()), 405)
      await visitor.see('This method does not work here')
      await visitor.inspect('error-405')
    },
  },
]

/** Fills the queue of submissions as others, with endpoints that are never answered. */
async function fillQueue(visitor: Visitor): Promise<void> {
  const sellers = [0, 1, 2, 3].map((index) => findSeller(visitor, `slow-${index}`).url)
  const urls = sellers.flatMap((url) =>
    Array.from({ length: PER_DOMAIN }, (_, index) => new URL(`${SILENT}/${index}`, url).href),
  )
  const clients = [nameClient(), nameClient()]
  await Promise.all(
    urls.map((url, index) =>
      fetch(`${visitor.site.origin}/submissions`, {
        method: 'POST',
        headers: { 'X-Forwarded-For': clients[Math.floor(index / PER_CLIENT)] ?? '' },
        body: new URLSearchParams({ url }),
      }),
    ),
  )
}

/** Tasks that leave the service busy. */
export const LAST_TASKS: readonly Task[] = [
  {
    name: 'be told to come back when the service is busy',
    async run(visitor) {
      const { page, leave } = visitor
      await fillQueue(visitor)
      await visitor.open('/submissions')
      await page.getByLabel('URL of the endpoint').fill('https://nobody.example/paid')
      want('the status', await leave(() => page.getByRole('button', { name: 'Submit' }).click()), 503)
      await visitor.see('Not available right now')
      await visitor.inspect('error-503')
    },
  },
]
