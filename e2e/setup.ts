import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, inject } from 'vitest'
import { refuseViolations, startRecording } from './contract/recording.ts'

// Every answer of every service that a test file starts is held against /openapi.json, and a violation fails the file.
const recording = await startRecording()

// Hooks end in the opposite order of their beginning, so the file's own have stopped its services by now.
afterAll(async () => {
  const checked = await recording.check()
  const figures = { answers: checked.answers, violations: checked.violations.length }
  writeFileSync(join(inject('answerCounts'), `${process.pid}-${Date.now()}.json`), JSON.stringify(figures))
  refuseViolations(checked)
})
