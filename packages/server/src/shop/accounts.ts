import { concat, type Hex, keccak256, numberToHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Context } from '../context.ts'
import { readDocument } from '../store/documents.ts'

/** Most payments of one account: what one seller learns of an account is worth little to the next. */
export const PAYMENTS_PER_ACCOUNT = 20

/**
 * Derives an account from the operator's key: account 0 is that of the key itself, account n that of
 * `keccak256(key ‖ n)`, n as 32 bytes.
 */
function deriveAccount(key: Hex, index: number): PrivateKeyAccount {
  return privateKeyToAccount(index === 0 ? key : keccak256(concat([key, numberToHex(index, { size: 32 })])))
}

/** Which account pays, and how often it did. */
type AccountUse = { readonly index: number; readonly payments: number }

/** Accounts of test purchases, used in sequence. */
export type ShopperAccounts = {
  /** The account that pays now. */
  current(): Promise<AccountUse & { readonly account: PrivateKeyAccount }>
  /** The account after it, to be funded in time. */
  next(): Promise<PrivateKeyAccount>
  /** Counts a payment of the current account before it is sent. Resolves once that is durable. */
  notePayment(): Promise<void>
  /** Retires accounts up to one, inclusive, since a published purchase shows whose it is. */
  retire(index: number): Promise<void>
  /** Addresses of all accounts up to the next one, in lower case. */
  addresses(): Promise<ReadonlySet<Hex>>
}

const KIND = 'shopper-account'
const ID = 'current'
/** Kept for ever: an account that is known must not be used again. */
const NEVER = Number.MAX_SAFE_INTEGER

/** Creates the accounts over a store, which all processes share. */
export function createShopperAccounts(
  { store, clock }: Pick<Context, 'store' | 'clock'>,
  key: Hex,
): ShopperAccounts {
  const derived: PrivateKeyAccount[] = []
  const at = (index: number) => {
    derived[index] ??= deriveAccount(key, index)
    return derived[index]
  }
  const known = new Set<Hex>()
  const read = async (): Promise<AccountUse> => {
    const found = await readDocument(store, KIND, ID, clock.now())
    const use = (found?.data as AccountUse | undefined) ?? { index: 0, payments: 0 }
    return use.payments < PAYMENTS_PER_ACCOUNT ? use : { index: use.index + 1, payments: 0 }
  }
  const write = (data: AccountUse) =>
    store.write('putDocument', { kind: KIND, id: ID, expiresAt: NEVER, data }, clock.now())
  return {
    async current() {
      const use = await read()
      return { ...use, account: at(use.index) }
    },
    next: async () => at((await read()).index + 1),
    async notePayment() {
      const { index, payments } = await read()
      await write({ index, payments: payments + 1 })
    },
    async retire(index) {
      const use = await read()
      if (use.index <= index) await write({ index: index + 1, payments: 0 })
    },
    async addresses() {
      const { index } = await read()
      for (let one = known.size; one <= index + 1; one++) known.add(at(one).address.toLowerCase() as Hex)
      return known
    },
  }
}
