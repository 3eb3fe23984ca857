import { readFile, stat } from 'node:fs/promises'
import type { Hex } from 'viem'

const KEY = /^0x[0-9a-fA-F]{64}$/
/** Permission bits of group and others. */
const OTHERS = 0o077

/**
 * Reads the key that the accounts of test purchases are derived from.
 * @throws Error that names the file and the problem, but none of its content
 */
export async function readShopperKey(path: string): Promise<Hex> {
  const { mode } = await stat(path).catch(() => {
    throw new Error(`SHOPPER_KEY_FILE: ${path} cannot be read`)
  })
  if ((mode & OTHERS) !== 0) {
    throw new Error(`SHOPPER_KEY_FILE: ${path} must be readable by its owner alone (chmod 600)`)
  }
  const text = (await readFile(path, 'utf8')).trim()
  if (!isKey(text)) throw new Error(`SHOPPER_KEY_FILE: ${path} must hold 0x and 64 hexadecimal digits`)
  return text
}

const isKey = (text: string): text is `0x${string}` => KEY.test(text)
