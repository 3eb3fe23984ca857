import { describe, expect, test } from 'vitest'
import { checksNoAnswers } from '../../contract/checksNoAnswers.ts'
import { run } from './index.ts'

checksNoAnswers('it crawls, and answers nobody')

type Matrix = {
  verdicts: Record<string, Record<string, number>>
  flags: Record<string, Record<string, number>>
}

/** Formats a table with one line per row. */
function print(title: string, rows: Record<string, Record<string, number>>): string {
  const columns = Object.keys(Object.values(rows)[0] ?? {})
  const line = (name: string, cells: readonly (string | number)[]) =>
    [name.padEnd(22), ...cells.map((cell) => String(cell).padStart(14))].join('')
  return [
    line(title, columns),
    ...Object.entries(rows).map(([name, cells]) => line(name, Object.values(cells))),
  ].join('\n')
}

describe('simulation', () => {
  test('default', async () => {
    const { ok, figures } = await run({ short: true })
    const { verdicts, flags } = figures.matrix as Matrix
    process.stdout.write(`\n${print('is \\ worst verdict', verdicts)}\n\n${print('flag', flags)}\n`)
    expect(figures.exceptions).toEqual({
      honestAvoid: [],
      missed: [],
      safeAgain: [],
      slowRemovals: [],
      wrongFlags: [],
    })
    expect(figures).toMatchObject({
      honestAvoid: 0,
      badMissedAfter24h: 0,
      badEverSafeAfterCatch: 0,
      removedSlowerThan2h: 0,
    })
    expect(figures.hosts).toBeGreaterThanOrEqual(300)
    expect(figures.honestSafePct).toBeGreaterThanOrEqual(97)
    expect(ok).toBe(true)
  })
})
