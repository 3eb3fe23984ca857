import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { start } from '@touchstone402/economy'
import type { TestProject } from 'vitest/node'
import { SELLERS } from './support/sellers.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder in which each test file writes its counts of checked answers. */
    answerCounts: string
    /** File with the state of a chain that has the history of all sellers. */
    chainState: string
  }
}

/** Mines the chain that economies start from, and prints the number of checked answers of all test files of a project at the end of the run. */
export default async function setup({ provide }: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-counts-'))
  provide('answerCounts', folder)
  const chainState = await mineChain(folder)
  provide('chainState', chainState)
  return () => {
    const sum = { answers: 0, violations: 0 }
    for (const name of readdirSync(folder).filter((name) => name !== basename(chainState))) {
      const { answers, violations } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as typeof sum
      sum.answers += answers
      sum.violations += violations
    }
    rmSync(folder, { recursive: true, force: true })
    process.stdout.write(`answers checked against /openapi.json: ${JSON.stringify(sum)}\n`)
  }
}

/** Mines 45 days of history, which takes a second, and returns the file that holds them. They end now, so they are mined for each run. */
async function mineChain(folder: string): Promise<string> {
  const path = join(folder, 'chain.json')
  const economy = await start({ clock: 'real', sellers: SELLERS })
  try {
    await economy.chain.save(path)
    return path
  } finally {
    await economy.stop()
  }
}
