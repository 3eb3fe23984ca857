import {
  ADDRESS_PATTERN,
  asObject,
  atomicToUsd,
  BASE,
  findKnownNetwork,
  findNetworkByName,
  isCanonicalUsdc,
  toCaip2,
} from '@touchstone402/shared'
import { getAddress } from 'viem'
import type { ListedRow } from '../../ports/directory.ts'
import { type Row, readAtomic, readList, readText } from '../../remote/fields.ts'
import { NO_CLAIMS, SkippedRowError } from './toRow.ts'

type Claims = ListedRow['claims']

/**
 * Reads the claims of an item's `accepts`, preferring USDC on Base, then USDC on any mainnet, then any USDC; of several
 * amounts the highest.
 */
export function readClaims(accepts: readonly unknown[]): { claims: Claims; entry: Row | undefined } {
  const read = accepts.slice(0, 64).flatMap((item) => {
    const entry = asObject(item)
    return entry === undefined ? [] : [{ entry, claims: readEntry(entry) }]
  })
  const isUsdc = ({ claims: { network, asset } }: { claims: Claims }) =>
    network !== null && asset !== null && isCanonicalUsdc(network, asset)
  const best =
    read.find((one) => isUsdc(one) && one.claims.network === BASE) ??
    read.find((one) => isUsdc(one) && findKnownNetwork(one.claims.network ?? '')?.testnet === false) ??
    read.find(isUsdc) ??
    read[0]
  const highest = read
    .filter((one) => best !== undefined && isTier(one, best))
    .reduce((a, b) => (a !== undefined && amountOf(a) >= amountOf(b) ? a : b), best)
  return { claims: highest?.claims ?? NO_CLAIMS, entry: highest?.entry }
}

type ReadEntry = { readonly entry: Row; readonly claims: Claims }

/** Whether two entries differ in their amount at most. The highest tier is the price, as in challenges. */
const isTier = (a: ReadEntry, b: ReadEntry) =>
  a.entry.scheme === b.entry.scheme &&
  a.claims.network === b.claims.network &&
  a.claims.asset === b.claims.asset &&
  a.claims.payTo === b.claims.payTo

const amountOf = ({ claims }: ReadEntry) => BigInt(claims.amountAtomic ?? 0)

function readEntry(entry: Row): Claims {
  const network = readNetwork(entry, 'network')
  const asset = readAccount(entry.asset, network)
  const amountAtomic = readAtomic(entry, 'amount', 'maxAmountRequired')
  const isPriced = amountAtomic !== null && network !== null && asset !== null
  return {
    ...NO_CLAIMS,
    network,
    asset,
    payTo: readAccount(entry.payTo, network),
    amountAtomic,
    priceUsd: isPriced ? atomicToUsd(network, asset, BigInt(amountAtomic)) : null,
  }
}

/** Reads a network (CAIP-2, v1 name or display name) as CAIP-2, or null. */
export function readNetwork(row: Row, ...names: readonly string[]): string | null {
  const text = readText(row, ...names)
  if (text === null) return null
  return findNetworkByName(text)?.caip2 ?? toCaip2(text, 2) ?? null
}

/** Whether an asset's name, as directories write it, is that of USDC. */
export function isUsdcName(name: string | null): boolean {
  return name !== null && /^(usdc|usd[ -]?coin)$/i.test(name)
}

/**
 * Skips a row that names its payment protocols without x402, and one with an empty list of offers.
 * @throws SkippedRowError
 */
export function refuseUnpayable(row: Row): void {
  const named = [row.protocol, ...(readList(row, 'protocols') ?? [])].filter((one) => typeof one === 'string')
  // Some rows name the transport here.
  const fits = named.length === 0 || named.some((one) => /x402|^https?$/i.test(one))
  if (!fits) throw new SkippedRowError('other_protocol')
  if (readList(row, 'accepts')?.length === 0) throw new SkippedRowError('no_offers')
}

/** Reads a health status: `up` is true, `down` false, anything else null. */
export function readHealth(status: string | null, up: string, down: readonly string[]): boolean | null {
  if (status === up) return true
  return status !== null && down.includes(status) ? false : null
}

function readAccount(value: unknown, network: string | null): string | null {
  if (typeof value !== 'string' || !/^[A-Za-z0-9._:-]{1,128}$/.test(value)) return null
  if (network?.startsWith('eip155:') !== true) return value
  return ADDRESS_PATTERN.test(value) ? getAddress(value) : null
}
