import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { checksNoAnswers } from '../../contract/checksNoAnswers.ts'
import { formatLosses, type Losses } from './formatLosses.ts'
import { PAGE, RESULT } from './index.ts'

checksNoAnswers('it reads a page')

test('default: the tables of docs/losses.md are those of the stored result', async () => {
  const losses: Losses[] = JSON.parse(await readFile(RESULT, 'utf8'))
  expect(losses.filter(({ setting }) => setting === 'stock').length).toBeGreaterThanOrEqual(4)
  expect(await readFile(PAGE, 'utf8')).toContain(
    `<!-- crash-test -->\n\n${formatLosses(losses)}\n\n<!-- /crash-test -->`,
  )
})
