import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { RealClientName } from '../../facts/clientIdentities.ts'
import { PYTHON_ARGS, type RealClient } from './realClients.ts'
import { runProgram } from './runProgram.ts'

/** Time for all look-ups, ms. */
const LOOK_UP_MS = 10_000
const MAX_BYTES = 8 * 1024
/** The first version of curl that writes the headers of an answer apart from its body: 7.83. */
const LEAST_CURL = 7.083

/**
 * Finds the programs that can be run as clients: curl from 7.83 on, and Python's requests and httpx.
 * @param wanted names of the setting `REAL_CLIENTS`; null for those that are there
 * @param path folders, as in PATH
 * @throws Error that names the setting, if a wanted one is not there
 */
export async function findRealClients(
  wanted: readonly RealClientName[] | null,
  path: string,
): Promise<readonly RealClient[]> {
  const names: readonly RealClientName[] = wanted ?? ['curl', 'requests', 'httpx']
  const signal = AbortSignal.timeout(LOOK_UP_MS)
  const found = await Promise.all(
    names.map(async (name) => ({ name, program: await findProgram(name, path, signal) })),
  )
  const missing = found.find(({ program }) => program === null)?.name
  if (wanted !== null && missing !== undefined)
    throw new Error(
      missing === 'curl'
        ? 'REAL_CLIENTS names curl, but there is no curl of version 7.83 or later on PATH'
        : `REAL_CLIENTS names ${missing}, but python3 on PATH cannot import it`,
    )
  return found.flatMap(({ name, program }) => (program === null ? [] : [{ name, program }]))
}

async function findProgram(name: RealClientName, path: string, signal: AbortSignal): Promise<string | null> {
  const file = await findOnPath(name === 'curl' ? 'curl' : 'python3', path)
  if (file === null) return null
  try {
    if (name === 'curl') {
      const said = await ask(file, ['-q', '--version'], signal)
      const [, major = '0', minor = '0'] = /^curl (\d+)\.(\d+)\./.exec(said) ?? []
      return Number(major) + Number(minor) / 1000 >= LEAST_CURL ? file : null
    }
    // The file on PATH may be a script that chooses a version.
    const said = await ask(file, [...PYTHON_ARGS, `import sys, ${name}; print(sys.executable)`], signal)
    return isAbsolute(said) ? said : null
  } catch {
    return null
  }
}

async function ask(program: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  const { stdout } = await runProgram(program, { args, input: '' }, { signal, maxBytes: MAX_BYTES })
  return stdout.toString().trim()
}

async function findOnPath(name: string, path: string): Promise<string | null> {
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const file = join(folder, name)
    try {
      await access(file, constants.X_OK)
      return file
    } catch {
      // Try the next folder.
    }
  }
  return null
}
