import { readFile, stat } from 'node:fs/promises'
import { parsePolicy } from '../../decide/policySchema.ts'
import type { Policy } from '../../decide/policyTypes.ts'
import type { GuardOptions } from '../../seats/createGuard.ts'
import { type Io, UsageError } from './io.ts'

/** Where verdicts come from, by the options and the environment. */
export function readService(io: Io, flag: string | undefined): NonNullable<GuardOptions['service']> {
  const url = flag ?? io.env.TOUCHSTONE_URL
  if (url === undefined) throw new UsageError('Give --service <url>, or set TOUCHSTONE_URL.')
  const jwksThumbprint = io.env.TOUCHSTONE_JWKS_THUMBPRINT
  return { url, fetch: io.fetch, ...(jwksThumbprint === undefined ? {} : { jwksThumbprint }) }
}

/** A policy from a JSON file; without one, the defaults. */
export async function readPolicy(path: string | undefined): Promise<Policy> {
  if (path === undefined) return parsePolicy()
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError(`The policy ${path} cannot be read.`)
  })
  let input: unknown
  try {
    input = JSON.parse(text)
  } catch {
    throw new UsageError(`The policy ${path} is no JSON.`)
  }
  return parsePolicy(input)
}

/**
 * The wallet's key from PRIVATE_KEY, or from the file that PRIVATE_KEY_FILE names. Never from an argument: those are
 * shown to every user of the machine.
 */
export async function readKey(io: Io): Promise<`0x${string}`> {
  const { PRIVATE_KEY, PRIVATE_KEY_FILE } = io.env
  const text =
    PRIVATE_KEY ?? (PRIVATE_KEY_FILE === undefined ? undefined : await readKeyFile(PRIVATE_KEY_FILE))
  if (text === undefined) throw new UsageError('Set PRIVATE_KEY, or PRIVATE_KEY_FILE to a file of mode 600.')
  const match = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text.trim())
  // The text is not repeated: it may be a key with a typing error.
  if (match === null) throw new UsageError('The private key is not 64 hexadecimal digits.')
  return `0x${match[1]}`
}

async function readKeyFile(path: string): Promise<string> {
  const info = await stat(path).catch(() => {
    throw new UsageError('The file of PRIVATE_KEY_FILE cannot be read.')
  })
  if (process.platform !== 'win32' && (info.mode & 0o077) !== 0) {
    throw new UsageError('The file of PRIVATE_KEY_FILE can be read by others; set its mode to 600.')
  }
  return readFile(path, 'utf8')
}
