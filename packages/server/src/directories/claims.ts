import {
  ADDRESS_PATTERN,
  asObject,
  atomicToUsd,
  BASE,
  findKnownNetwork,
  findNetworkByName,
  findUsdc,
  isCanonicalUsdc,
  toCaip2,
} from '@touchstone402/shared'
import { getAddress } from 'viem'
import type { ListedRow } from '../facts/facts.ts'
import { NO_CLAIMS } from '../facts/facts.ts'
import { type Row, readAtomic, readList, readObject, readText } from '../lib/fields.ts'
import { isConditional } from './priceConditions.ts'
import { readTextPrice, type TextPrice } from './textPrice.ts'
import { SkippedRowError } from './toRow.ts'

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
    .reduce((a, b) => (a !== undefined && isAsDear(a, b) ? a : b), best)
  return { claims: highest?.claims ?? NO_CLAIMS, entry: highest?.entry }
}

type ReadEntry = { readonly entry: Row; readonly claims: Claims }

/** Whether two entries differ in their amount at most. The highest tier is the price, as in challenges. */
const isTier = (a: ReadEntry, b: ReadEntry) =>
  a.entry.scheme === b.entry.scheme &&
  a.claims.network === b.claims.network &&
  a.claims.asset === b.claims.asset &&
  a.claims.payTo === b.claims.payTo

/** Whether tier `a` costs at least as much as `b`. */
function isAsDear({ claims: a }: ReadEntry, { claims: b }: ReadEntry): boolean {
  if (a.amountAtomic !== null || b.amountAtomic !== null)
    return BigInt(a.amountAtomic ?? 0) >= BigInt(b.amountAtomic ?? 0)
  return (a.priceUsd ?? 0) >= (b.priceUsd ?? 0)
}

/** Terms may be in the entry itself, in its `price`, or partly in both. */
const withPrice = (entry: Row): Row => ({ ...entry, ...readObject(entry, 'price') })

function readEntry(whole: Row): Claims {
  const entry = withPrice(whole)
  const network = readNetwork(entry, 'network')
  const asset = readAsset(entry.asset, network)
  const amountAtomic = isInDollars(entry) ? null : readAtomic(entry, 'amount', 'maxAmountRequired')
  const common = { ...NO_CLAIMS, network, asset, payTo: readAccount(entry.payTo ?? entry.pay_to, network) }
  if (isConditional(whole)) return common
  const isPriced = amountAtomic !== null && network !== null && asset !== null
  const exactUsd = isPriced ? atomicToUsd(network, asset, BigInt(amountAtomic)) : null
  return {
    ...common,
    amountAtomic,
    priceUsd: exactUsd ?? readPriceUsd(entry),
  }
}

const PRICES = ['price', 'priceUsd', 'price_usd', 'priceUSD', 'price_usdc', 'priceUsdc']
const AMOUNTS = ['amount', 'maxAmountRequired']

/** Whether an entry states its amounts in dollars. */
const isInDollars = ({ currency }: Row) => typeof currency === 'string' && /^usd$/i.test(currency.trim())

/** Returns the price that an entry states in dollars: a number or a text, not an atomic amount; null for none. */
export function readPriceUsd(whole: Row): number | null {
  if (isConditional(whole)) return null
  const entry = withPrice(whole)
  const { currency, asset } = entry
  const isOther = [currency, asset].some((name) => name !== undefined && !isUsdAsset(name, entry))
  for (const name of [...PRICES, ...AMOUNTS]) {
    const price = readTextPrice(entry[name])
    if (price === null) continue
    const isStated = !AMOUNTS.includes(name) || isInDollars(entry) || isDecimal(price)
    if (isStated && (price.namesDollars || !isOther)) return price.usd
  }
  return null
}

/** Amounts without a point are atomic, unless they name dollars. */
const isDecimal = ({ namesDollars, hasPoint }: TextPrice) => namesDollars || hasPoint

function isUsdAsset(name: unknown, entry: Row): boolean {
  if (typeof name !== 'string') return false
  const network = readNetwork(entry, 'network')
  return (
    /^usd$/i.test(name.trim()) || isUsdcName(name) || (network !== null && isCanonicalUsdc(network, name))
  )
}

/** Whether terms are free: every stated price or amount is zero. */
export function isFreeOfCharge(terms: readonly unknown[]): boolean {
  return (
    terms.length > 0 &&
    terms.every((one) => {
      const entry = asObject(one) ?? {}
      const { amountAtomic, priceUsd } = readEntry(entry)
      return entry.free === true || (amountAtomic === null ? priceUsd === 0 : amountAtomic === '0')
    })
  )
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
  const named = [row.protocol, ...(readList(row, 'protocols') ?? [])]
    .flatMap((one) => Object.keys(asObject(one) ?? {}).concat(typeof one === 'string' ? one : []))
    .slice(0, 64)
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

/** Reads an asset by its address, as text or in an object, or by the name of USDC. */
function readAsset(value: unknown, network: string | null): string | null {
  const text = asObject(value)?.address ?? value
  if (typeof text === 'string' && isUsdcName(text))
    return network === null ? null : (findUsdc(network) ?? null)
  return readAccount(text, network)
}

function readAccount(value: unknown, network: string | null): string | null {
  if (typeof value !== 'string' || !/^[A-Za-z0-9._:-]{1,128}$/.test(value)) return null
  if (network?.startsWith('eip155:') !== true) return value
  return ADDRESS_PATTERN.test(value) ? getAddress(value) : null
}
