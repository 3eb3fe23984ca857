import { type Hex, toHex } from 'viem'
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'

/** The public mnemonic of development chains. Never hold real funds with its keys. */
export const TEST_MNEMONIC = 'test test test test test test test test test test test junk'

/** Address indexes below `m/44'/60'/0'/0`. Anvil funds 0 to 9 with ether. */
export const WALLET_INDEX = {
  minter: 0,
  facilitator: 1,
  service: 2,
  shopper: 3,
  bots: [4, 5, 6, 7, 8, 9],
} as const

let parent: ReturnType<ReturnType<typeof mnemonicToAccount>['getHdKey']> | undefined
const accounts = new Map<number, PrivateKeyAccount>()

/**
 * Returns the account at an address index of the test mnemonic.
 * @param index 0 and up. Receivers of sellers start at 100.
 */
export function walletAt(index: number): PrivateKeyAccount {
  const known = accounts.get(index)
  if (known) return known
  const account = privateKeyToAccount(keyAt(index))
  accounts.set(index, account)
  return account
}

/** Returns the private key at an address index of the test mnemonic. */
export function keyAt(index: number): Hex {
  // Deriving the seed is slow, so it is done once.
  parent ??= mnemonicToAccount(TEST_MNEMONIC, { path: "m/44'/60'/0'/0" }).getHdKey()
  const key = parent.deriveChild(index).privateKey
  if (!key) throw new Error(`no key at index ${index}`)
  return toHex(key)
}
