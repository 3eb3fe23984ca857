import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, inject, type RunnerTestSuite } from 'vitest'
import { takeNoAnswers } from './contract/checksNoAnswers.ts'
import { refuseViolations, startRecording } from './contract/recording.ts'

// Checks every response of every service that a test file starts against /openapi.json. A violation fails the file, and
// so does a file without answers that does not call `checksNoAnswers`.
takeNoAnswers()
const recording = startRecording()

const isWhole = ({ tasks }: Pick<RunnerTestSuite, 'tasks'>): boolean =>
  tasks.every((task) => (task.type === 'suite' ? isWhole(task) : task.result?.state === 'pass'))

// afterAll hooks run in reverse order, so the file has stopped its services by now.
// biome-ignore lint/correctness/noEmptyPattern: Vitest takes no other first argument of a hook that reads its suite.
afterAll(async ({}, file) => {
  const checked = await recording.check()
  const isWithout = takeNoAnswers()
  const figures = { answers: checked.answers, violations: checked.violations.length }
  writeFileSync(join(inject('answerCounts'), `${randomUUID()}.json`), JSON.stringify(figures))
  refuseViolations(checked)
  // A file of which some tests were left out, or failed, may not have come to its calls.
  if (!isWhole(file)) return
  if (checked.answers === 0 && !isWithout)
    throw new Error('0 answers checked: the service is not seen, or the file should say checksNoAnswers()')
  if (checked.answers > 0 && isWithout)
    throw new Error(`${checked.answers} answers checked in a file that says checksNoAnswers()`)
})
