import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from './docs/shellLines.ts'
import { runLine } from './docs/startLine.ts'

test('default: npm run release -- --dry-run', async () => {
  const { code, output } = await runLine('npm run release -- --dry-run')
  expect([code, output]).toEqual([0, expect.stringContaining('@touchstone402/crash-test@')])
})

test('default: npm run build:contracts compiles the sources to the committed artifacts', async () => {
  const cwd = join(ROOT, 'examples/economy')
  const read = () =>
    readdirSync(join(cwd, 'src/chain'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
  const before = read()
  const { code, output } = await runLine('npm run build:contracts', { cwd })
  expect(code, output).toBe(0)
  expect(read()).toEqual(before)
})
