import { refuseViolations, startRecording } from './contract/recording.ts'
import { type Result, runNamed } from './runNamed.ts'

/** Campaigns that measure times, which a recording would take some of. */
const UNRECORDED = ['million']

/** Checks every response of the services of a campaign against the OpenAPI document. A violation fails it. */
async function recorded(name: string, run: () => Promise<Result>): Promise<Result> {
  if (UNRECORDED.includes(name)) return run()
  const recording = startRecording()
  const result = await run()
  const checked = await recording.check()
  if (checked.answers > 0) process.stderr.write(`${checked.answers} answers checked against /openapi.json\n`)
  try {
    refuseViolations(checked)
    return result
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    return { ...result, ok: false }
  }
}

await runNamed(new URL('./campaigns/', import.meta.url), process.argv.slice(2), recorded)
