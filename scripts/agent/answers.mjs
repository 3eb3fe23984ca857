// Asks whether the demonstration is running.
import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

/** Milliseconds that the service has to answer. */
const TIMEOUT_MS = 3000

/** Returns whether the service that the environment or a file of settings names answers. */
export async function answers(file) {
  if (!existsSync(file)) return false
  // Node prefers the environment to the file, too.
  const { TOUCHSTONE_URL = '' } = { ...parseEnv(readFileSync(file, 'utf8')), ...process.env }
  if (!URL.canParse(TOUCHSTONE_URL)) return false
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  return fetch(new URL('/healthz', TOUCHSTONE_URL), { signal }).then(
    ({ ok }) => ok,
    () => false,
  )
}
