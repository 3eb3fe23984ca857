import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Checked, checkAnswers } from './checkAnswers.ts'
import { recordAnswers } from './recordAnswers.mjs'

const CHILD = new URL('./recordChild.mjs', import.meta.url).href

/** A recording of every response that services in this thread and its child processes send. */
export type Recording = {
  /** Stops the recording and checks the responses. */
  check(): Promise<Checked>
}

/** Starts recording. Services are recorded that start during this recording or another one of this thread. */
export function startRecording(): Recording {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-answers-'))
  const { TOUCHSTONE_ANSWERS: outer, NODE_OPTIONS: options = '' } = process.env
  process.env.TOUCHSTONE_ANSWERS = folder
  if (!options.includes(CHILD)) process.env.NODE_OPTIONS = `${options} --import=${CHILD}`.trim()
  const end = recordAnswers(folder)
  return {
    async check() {
      end()
      process.env.NODE_OPTIONS = options
      if (outer === undefined) delete process.env.TOUCHSTONE_ANSWERS
      else process.env.TOUCHSTONE_ANSWERS = outer
      try {
        return await checkAnswers(folder)
      } finally {
        await rm(folder, { recursive: true, force: true })
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
