import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { misconfigured } from '../errors.ts'
import type { SigningAccount } from '../paying/signatures/typedData.ts'
import type { Environment } from './defaultLedger.ts'

const DIGITS = '64 hexadecimal digits, with or without 0x'

/**
 * Reads the account of a wallet from its key: the variable PRIVATE_KEY, or the file that PRIVATE_KEY_FILE names, which only
 * its owner may read. No error contains the key. Needs viem.
 * @param env @default process.env
 * @throws ConfigurationError naming the variable and what would be right
 * @example
 * const pay = createGuardedFetch({ account: await readAccount() })
 */
export async function readAccount(env: Environment = process.env): Promise<SigningAccount> {
  const { privateKeyToAccount } = await import('viem/accounts').catch((cause) => {
    throw misconfigured('account: needs viem; install it with npm', cause)
  })
  const { PRIVATE_KEY, PRIVATE_KEY_FILE: file, CREDENTIALS_DIRECTORY } = env
  if (PRIVATE_KEY === undefined && file === undefined)
    throw misconfigured(`PRIVATE_KEY: expected ${DIGITS}; or set PRIVATE_KEY_FILE to a file of mode 600`)
  const text = (PRIVATE_KEY ?? (await readKeyFile(String(file), CREDENTIALS_DIRECTORY))).trim()
  const [, digits] = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text) ?? []
  try {
    if (digits !== undefined) return privateKeyToAccount(`0x${digits}`)
  } catch {
    // Zero, or not below the order of the curve. The library's error is dropped, since it may contain the key.
  }
  const expected =
    PRIVATE_KEY === undefined ? 'PRIVATE_KEY_FILE: expected a file with' : 'PRIVATE_KEY: expected'
  const got = digits === undefined ? `${text.length} characters` : 'a number that is no key'
  throw misconfigured(`${expected} ${DIGITS}, got ${got}`)
}

async function readKeyFile(path: string, credentials: string | undefined): Promise<string> {
  const info = await stat(path).catch(() => {
    throw misconfigured('PRIVATE_KEY_FILE: cannot read the file')
  })
  // systemd lets the user of a service read its credentials by an access list, and where a file has one, the bits of the
  // group are the mask of the list.
  const others = dirname(path) === credentials ? 0o037 : 0o077
  if (process.platform !== 'win32' && (info.mode & others) !== 0)
    throw misconfigured('PRIVATE_KEY_FILE: other users can read the file; set its mode to 600')
  return readFile(path, 'utf8').catch(() => {
    throw misconfigured('PRIVATE_KEY_FILE: cannot read the file')
  })
}
