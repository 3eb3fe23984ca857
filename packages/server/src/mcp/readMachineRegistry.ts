import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Returns the npm registry that this machine is configured for, if any. */
export async function readMachineRegistry(): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'registry'], { timeout: 10_000 })
    const url = stdout.trim()
    return URL.canParse(url) && /^https?:\/\//.test(url) ? url : undefined
  } catch {
    return undefined
  }
}
