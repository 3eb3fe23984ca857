import { UNLISTED } from '../slowSellers.ts'
import { findSeller, type Task, type Visitor, want } from './task.ts'

async function submit(visitor: Visitor, url: string): Promise<number> {
  const { page, leave } = visitor
  await visitor.open('/submissions')
  await page.getByLabel('URL of the endpoint').fill(url)
  return leave(() => page.getByRole('button', { name: 'Submit' }).click())
}

/** Submits an endpoint that is in no directory. */
export const submissionTasks: readonly Task[] = [
  {
    name: 'submit an endpoint and get to its profile',
    async run(visitor) {
      const { host, url } = findSeller(visitor, `slow-${visitor.device.index}`)
      want('the status', await submit(visitor, new URL(UNLISTED, url).href), 200)
      await visitor.page.waitForURL(`**/services/${encodeURIComponent(host)}?endpoint=**`)
      await visitor.page.getByRole('region', { name: 'Endpoints' }).getByText(UNLISTED).waitFor()
    },
  },
  {
    name: 'be told why an endpoint is not listed',
    async run(visitor) {
      const { url } = findSeller(visitor, `slow-${visitor.device.index}`)
      await submit(visitor, new URL('/nothing-here', url).href)
      await visitor.see('Nothing is at this path.')
      await visitor.inspect('submission-refused')
      want('the status of no URL', await submit(visitor, 'nonsense'), 400)
      want(
        'the field',
        await visitor.page.getByLabel('URL of the endpoint').getAttribute('aria-invalid'),
        'true',
      )
      await visitor.inspect('submission-malformed')
    },
  },
]
