import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, inject } from 'vitest'
import { refuseViolations, startRecording } from './contract/recording.ts'

// Checks every response of every service that a test file starts against /openapi.json. A violation fails the file.
const recording = await startRecording()

// afterAll hooks run in reverse order, so the file has stopped its services by now.
afterAll(async () => {
  const checked = await recording.check()
  const figures = { answers: checked.answers, violations: checked.violations.length }
  writeFileSync(join(inject('answerCounts'), `${process.pid}-${Date.now()}.json`), JSON.stringify(figures))
  refuseViolations(checked)
})
