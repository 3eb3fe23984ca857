import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder in which each test file writes its counts of checked answers. */
    answerCounts: string
  }
}

/** Prints the number of checked answers of all test files of a project at the end of the run. */
export default function setup({ provide }: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-counts-'))
  provide('answerCounts', folder)
  return () => {
    const sum = { answers: 0, violations: 0 }
    for (const name of readdirSync(folder)) {
      const { answers, violations } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as typeof sum
      sum.answers += answers
      sum.violations += violations
    }
    rmSync(folder, { recursive: true, force: true })
    process.stdout.write(`answers checked against /openapi.json: ${JSON.stringify(sum)}\n`)
  }
}
