import { numberToHex } from 'viem'
import type { Payment, PaymentQuery } from '../chain.ts'
import type { Address } from '../types.ts'

/** Makes a payment, the only one of its block. */
export function aPayment({
  block,
  from,
  to,
  value,
}: {
  readonly block: number
  readonly from: string
  readonly to: string
  readonly value: bigint
}): Payment {
  const [sender, recipient] = [from, to].map((address) => address.toLowerCase() as Address)
  return {
    block,
    from: sender ?? '0x',
    to: recipient ?? '0x',
    value,
    txHash: numberToHex(block, { size: 32 }),
    logIndex: 0,
  }
}

/** Returns the payments that a query lists. */
export function pickPayments(
  payments: readonly Payment[],
  { fromBlock, toBlock, from, to, minValue = 0n, maxValue, limit }: PaymentQuery,
): Payment[] {
  const isListed = (one: Payment) =>
    one.block >= fromBlock &&
    one.block <= toBlock &&
    (from === undefined || one.from === from.toLowerCase()) &&
    (to === undefined || one.to === to.toLowerCase()) &&
    one.value >= minValue &&
    (maxValue === undefined || one.value <= maxValue)
  return payments.filter(isListed).slice(0, limit)
}
