import type { Config } from '../config/config.ts'
import type { Context } from '../context.ts'
import { HOUR } from '../facts/times.ts'
import { logFailure } from '../lib/logFailure.ts'
import { PAYMENTS_PER_ACCOUNT, type ShopperAccounts } from './accounts.ts'

/** Logs which account of the test purchases has to be funded. */
export type AccountNotices = {
  /** Names the account that pays, whenever it changes. */
  tellCurrent(): Promise<void>
  /** Warns that it cannot pay a call, at most once an hour. */
  warnUnfunded(): Promise<void>
}

/**
 * Creates the notices. If an account cannot be read, they log that.
 * @param perCallUsd maximum price per call in dollars
 */
export function createAccountNotices(
  { clock, log, config }: Pick<Context, 'clock' | 'log'> & { readonly config: Pick<Config, 'network'> },
  accounts: Pick<ShopperAccounts, 'current' | 'next'>,
  perCallUsd: string,
): AccountNotices {
  const { network } = config
  const warn = (error: unknown) => logFailure(log, 'test purchases', error)
  let told = -1
  const tellCurrent = async () => {
    const { account, index, payments } = await accounts.current()
    if (index === told) return
    told = index
    const left = PAYMENTS_PER_ACCOUNT - payments
    const needed = (left * Number(perCallUsd)).toFixed(2)
    const { address: next } = await accounts.next()
    log(
      'info',
      `test purchases are paid by account ${index}, ${account.address}: ${left} payments left, for which it needs up to ${needed} USDC on ${network}; the next one is ${next}`,
      { event: 'shopper_account', index, address: account.address, left, needed, next },
    )
  }
  let warnedAt = Number.NEGATIVE_INFINITY
  const warnUnfunded = async () => {
    if (clock.now() - warnedAt < HOUR) return
    warnedAt = clock.now()
    const { account, index } = await accounts.current()
    log(
      'warn',
      `test purchases wait: account ${index}, ${account.address}, holds less than ${perCallUsd} USDC on ${network}`,
      { event: 'shopper_unfunded', index, address: account.address },
    )
  }
  return {
    tellCurrent: () => tellCurrent().catch(warn),
    warnUnfunded: () => warnUnfunded().catch(warn),
  }
}
