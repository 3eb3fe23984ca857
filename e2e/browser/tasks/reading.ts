import { type Task, want } from './task.ts'

/** Reading about the service. */
export const readingTasks: readonly Task[] = [
  {
    name: 'read how a verdict comes about, what the API says and how the ecosystem does',
    async run(visitor) {
      const { page, leave } = visitor
      await visitor.open('/')
      for (const [label, path] of [
        ['Method', '/methodology'],
        ['API', '/docs'],
        ['Reports', '/reports'],
        ['Changes', '/changes'],
        ['Incidents', '/incidents'],
      ] as const) {
        await leave(() =>
          page.getByRole('navigation').getByRole('link', { name: label, exact: true }).click(),
        )
        want('the page', new URL(page.url()).pathname, path)
      }
      await visitor.open('/docs')
      await leave(() => page.locator('a[href="/docs/schemas/Verdict"]').first().click())
      want('the schema', await page.getByRole('heading', { level: 1 }).textContent(), 'Verdict')
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
