import { existsSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Checked, checkAnswers } from './checkAnswers.ts'

/** URL of the module that is loaded into every process with `--import`. */
export const RECORDER = new URL('./recordAnswers.mjs', import.meta.url).href

/** A recording of every response that services in this process and its children send. */
export type Recording = {
  /** Stops the recording and checks the responses. */
  check(): Promise<Checked>
}

/** Starts recording. Only services that start later are recorded. */
export async function startRecording(): Promise<Recording> {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-answers-'))
  const before = { ...process.env }
  process.env.TOUCHSTONE_ANSWERS = folder
  process.env.NODE_OPTIONS = `${before.NODE_OPTIONS ?? ''} --import=${RECORDER}`.trim()
  await import(RECORDER)
  return {
    async check() {
      for (const name of ['TOUCHSTONE_ANSWERS', 'NODE_OPTIONS']) {
        const value = before[name]
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
      try {
        return await checkAnswers(folder)
      } finally {
        if (existsSync(folder)) await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

const SHOWN = 20

/** Throws if there are violations, listing the first of them. */
export function refuseViolations({ answers, violations }: Checked): void {
  if (violations.length === 0) return
  const shown = [...new Set(violations)].slice(0, SHOWN).map((line) => line.slice(0, 400))
  throw new Error(
    `${violations.length} violations of the interface in ${answers} answers:\n${shown.join('\n')}`,
  )
}
