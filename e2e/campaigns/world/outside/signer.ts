import { createRequire } from 'node:module'
import { type Hex, hashTypedData, type TypedDataDefinition } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'

type Native = {
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number }
}
// The package has no types. A signature takes 2 ms in JavaScript, and 50 µs here.
const { ecdsaSign }: Native = createRequire(import.meta.url)('secp256k1')

const KEY = `0x${'5a'.repeat(32)}` as const

/** Address of the wallet of all worlds. */
export const PAYER = privateKeyToAddress(KEY)

/** Signs typed data as the wallet does. */
export function signTyped(data: TypedDataDefinition): Hex {
  const digest = Buffer.from(hashTypedData(data).slice(2), 'hex')
  const { signature, recid } = ecdsaSign(digest, Buffer.from(KEY.slice(2), 'hex'))
  return `0x${Buffer.from(signature).toString('hex')}${(27 + recid).toString(16)}`
}
