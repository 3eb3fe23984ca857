import { isRecord, sameAddress } from '@touchstone402/shared'
import {
  type Block,
  type Chain,
  type ChainUse,
  callAt,
  findTransactions,
  padAddress,
  quantityOf,
  type ReadChain,
} from '../ledger/chain.ts'
import type { Payment } from '../ledger/ledger.ts'
import { isHash } from '../ledger/transactionHash.ts'
import { bytesToHex, keccak } from '../paying/signatures/bytes.ts'
import { PERMIT2, UPTO_PROXY } from './permit.ts'

const selectorOf = (signature: string) => bytesToHex(keccak(signature)).slice(0, 10)

const NONCE_BITMAP = selectorOf('nonceBitmap(address,uint256)')
const TRANSFER = bytesToHex(keccak('Transfer(address,address,uint256)'))
const PERMIT = '((address,uint256),uint256,uint256)'
const REST = 'uint256,address,(address,address,uint256),bytes'
// Number of words before the permit, by function of the proxy. Source: `x402UptoPermit2ProxyABI` of @x402/evm 2.27.
const SETTLE = new Map([
  [selectorOf(`settle(${PERMIT},${REST})`), 0],
  [selectorOf(`settleWithPermit((uint256,uint256,bytes32,bytes32,uint8),${PERMIT},${REST})`), 5],
])
// Transfers from the payer to the seller that are looked at.
const MAX_CANDIDATES = 20

/**
 * Reads the cost of an `upto` payment. Only Permit2's bitmap proves that its nonce is used. The amount is that of the
 * proxy call with this nonce. If there is none, as with a facilitator behind another contract, the ceiling stays spent.
 */
export const readSettlement: ReadChain = async (chain, entry, block) => {
  const { authorization, known, at, asset, payTo } = entry
  if (authorization === null) return undefined
  const { from, nonce } = authorization
  const used = await isNonceUsed(chain, from, BigInt(nonce), block)
  if (used === undefined) return undefined
  if (!used) return { used: false }
  const transaction = known?.transaction ?? null
  const named = isHash(transaction) ? [transaction] : []
  const topics = [TRANSFER, `0x${padAddress(from)}`, `0x${padAddress(payTo)}`]
  const others = await findTransactions(chain, { address: asset, topics }, block, at).catch(() => [])
  for (const hash of [...named, ...others.slice(0, MAX_CANDIDATES)]) {
    const found = await readCall(chain, hash, entry, block.number)
    if (found !== undefined) return found
  }
  return { used: true, transaction }
}

async function isNonceUsed(chain: Chain, from: string, nonce: bigint, block: Block) {
  const position = (nonce >> 8n).toString(16).padStart(64, '0')
  const bitmap = await callAt(chain, PERMIT2, `${NONCE_BITMAP}${padAddress(from)}${position}`, block)
  if (!isHash(bitmap)) return undefined
  return ((BigInt(bitmap) >> (nonce & 255n)) & 1n) === 1n
}

/** Reads a transaction; undefined unless it is a successful call of the proxy for this payment. */
async function readCall(
  chain: Chain,
  hash: string,
  entry: Payment,
  final: bigint,
): Promise<ChainUse | undefined> {
  const [sent, receipt] = await Promise.all([
    chain.call('eth_getTransactionByHash', [hash]),
    chain.call('eth_getTransactionReceipt', [hash]),
  ])
  if (!isRecord(sent) || !isRecord(receipt)) return undefined
  const { to, input } = sent
  if (typeof to !== 'string' || !sameAddress(to, UPTO_PROXY) || typeof input !== 'string') return undefined
  if (receipt.status !== '0x1' || quantityOf(receipt, 'blockNumber') > final) return undefined
  const amount = readAmount(input, entry)
  if (amount === undefined || !hasTransfer(receipt.logs, entry, amount)) return undefined
  return { used: true, transaction: hash, amountAtomic: amount.toString() }
}

/** Reads the amount of a call of the proxy; undefined unless the call collects this payment. */
function readAmount(input: string, entry: Payment): bigint | undefined {
  const { authorization, asset, payTo, amountAtomic } = entry
  const start = SETTLE.get(input.slice(0, 10))
  const words = (input.slice(10).match(/[0-9a-f]{64}/gi) ?? [])
    .slice(start)
    .map((text) => BigInt(`0x${text}`))
  const [token, ceiling, nonce, deadline, amount, owner, receiver] = words
  if (authorization === null || start === undefined || amount === undefined) return undefined
  const isThis =
    token === BigInt(asset) &&
    ceiling === BigInt(amountAtomic) &&
    nonce === BigInt(authorization.nonce) &&
    deadline === BigInt(authorization.validBefore) &&
    owner === BigInt(authorization.from) &&
    receiver === BigInt(payTo)
  return isThis && amount <= ceiling ? amount : undefined
}

function hasTransfer(logs: unknown, { authorization, asset, payTo }: Payment, amount: bigint): boolean {
  const parties = [authorization?.from ?? '', payTo].map((one) => `0x${padAddress(one)}`)
  return (
    Array.isArray(logs) &&
    logs.some((log) => {
      if (!isRecord(log) || typeof log.address !== 'string' || !sameAddress(log.address, asset)) return false
      const { topics, data } = log
      const isTransfer = Array.isArray(topics) && topics.length === 3 && topics[0] === TRANSFER
      const isOurs = isTransfer && parties.every((one, index) => topics[index + 1] === one)
      return isOurs && isHash(data) && BigInt(data) === amount
    })
  )
}
