import { findSeller, type Task, want } from './task.ts'

const FIELD = 'URL of an x402 endpoint'

/** Scanning an endpoint. */
export const scanTasks: readonly Task[] = [
  {
    name: 'scan an endpoint and read what to fix',
    async run(visitor) {
      const { page, leave, device } = visitor
      await visitor.open('/')
      await page
        .getByLabel(FIELD, { exact: true })
        .fill(findSeller(visitor, ['swapped', 'honest-both'][device.index] ?? '').url)
      await leave(() => page.getByRole('button', { name: 'Scan' }).click())
      want('the place of a scan', new URL(page.url()).pathname.startsWith('/scans/'), true)
      await visitor.see('checks passed')
      await visitor.inspect('scan-result')
      want('the profile', await page.getByRole('link', { name: /^Profile of/ }).count(), 1)
    },
  },
  {
    name: 'be told what is wrong with a URL to scan',
    async run(visitor) {
      const { page, leave } = visitor
      await visitor.open('/')
      await page.getByLabel(FIELD, { exact: true }).fill('ftp://files.example/a')
      want('the status', await leave(() => page.getByRole('button', { name: 'Scan' }).click()), 400)
      await visitor.see('expected the scheme http or https')
      await visitor.inspect('scan-refused')
    },
  },
]
