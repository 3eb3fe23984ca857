import { existsSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Checked, checkAnswers } from './checkAnswers.ts'

/** What goes into every process with `--import`. */
export const RECORDER = new URL('./recordAnswers.mjs', import.meta.url).href

/** The recording of every answer that services of this process and of its children send from now on. */
export type Recording = {
  /** Ends it, and checks what came. */
  check(): Promise<Checked>
}

/** Starts recording; services have to be started after it. */
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

/** Throws where an answer breaks the interface, with the first of what is wrong. */
export function refuseViolations({ answers, violations }: Checked): void {
  if (violations.length === 0) return
  const shown = [...new Set(violations)].slice(0, SHOWN).map((line) => line.slice(0, 400))
  throw new Error(
    `${violations.length} violations of the interface in ${answers} answers:\n${shown.join('\n')}`,
  )
}
