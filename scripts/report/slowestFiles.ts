import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

/** What a test file took: importing, hooks and tests, in ms. */
export type FileTime = { readonly file: string; readonly ms: number; readonly tests: number }

const SHOWN = 10

/** Prints the slowest files of a run as its last lines, and keeps the times of all files in a report. */
export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map(timeOf).sort((a, b) => b.ms - a.ms)
    const path = process.env.FILE_TIMES
    if (path !== undefined) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, `${JSON.stringify(files, null, 1)}\n`)
    }
    process.stdout.write(`${describeSlowest(files).join('\n')}\n`)
  }
}

function timeOf(module: TestModule): FileTime {
  const { collectDuration, duration, setupDuration } = module.diagnostic()
  return {
    file: relative(process.cwd(), module.moduleId),
    ms: Math.round(collectDuration + setupDuration + duration),
    tests: [...module.children.allTests()].length,
  }
}

/** Describes the slowest files and their share of all seconds that workers were busy. */
export function describeSlowest(files: readonly FileTime[]): string[] {
  const sumOf = (list: readonly FileTime[]) => list.reduce((sum, { ms }) => sum + ms, 0)
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  const slowest = files.slice(0, SHOWN)
  const all = sumOf(files)
  const sharePct = all === 0 ? 0 : Math.round((100 * sumOf(slowest)) / all)
  return [
    `slowest ${slowest.length} of ${files.length} files: ${seconds(sumOf(slowest))} s of ${seconds(all)} s of worker time, ${sharePct} %`,
    ...slowest.map(({ file, ms }) => `  ${seconds(ms).padStart(6)} s  ${file}`),
  ]
}
