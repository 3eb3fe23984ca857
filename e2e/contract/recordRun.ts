import type { Result } from '../runNamed.ts'
import { refuseViolations, startRecording } from './recording.ts'

/** Campaigns that are not recorded, with the reason. */
const UNRECORDED: Readonly<Record<string, string>> = {
  contract: 'it checks its own answers',
  load: 'it measures times, and a recording takes some',
  million: 'it measures times, and a recording takes some',
}

/** Runs a campaign and checks every response of its services against the OpenAPI document. A violation fails it. */
export async function recordRun(name: string, run: () => Promise<Result>): Promise<Result> {
  if (Object.hasOwn(UNRECORDED, name)) return run()
  const recording = startRecording()
  const result = await run()
  const checked = await recording.check()
  const { answers } = checked
  if (answers > 0) process.stderr.write(`${answers} answers checked against /openapi.json\n`)
  try {
    refuseViolations(checked)
    return result
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    return { ...result, ok: false }
  }
}
