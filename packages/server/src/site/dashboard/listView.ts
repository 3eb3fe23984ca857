import { FLAGS, type Flag, VERDICT_LABELS, type VerdictCode } from '@touchstone402/shared'
import { readPage, readParameter } from '../readParameter.ts'

/** All verdicts, best first. */
export const VERDICT_CODES = Object.keys(VERDICT_LABELS) as VerdictCode[]

/** Orders of the list. */
export const SORTS = {
  worst: 'Worst first',
  best: 'Best first',
  name: 'By name',
  cheap: 'Cheapest first',
  dear: 'Most expensive first',
} as const
export type Sort = keyof typeof SORTS

/** Ranges of the lowest price per call in dollars, the upper bound exclusive. */
export const PRICE_RANGES = {
  low: { text: 'under $0.01', from: 0, to: 0.01 },
  middle: { text: '$0.01 to $0.10', from: 0.01, to: 0.1 },
  high: { text: '$0.10 and more', from: 0.1, to: Number.POSITIVE_INFINITY },
} as const
export type PriceRange = keyof typeof PRICE_RANGES

/** Part of the list of services that a page shows. */
export type ListView = {
  readonly verdict?: VerdictCode | undefined
  readonly flag?: Flag | undefined
  /** Display name of a network. */
  readonly network?: string | undefined
  readonly price?: PriceRange | undefined
  readonly directory?: string | undefined
  readonly sort: Sort
  /** From 1. */
  readonly page: number
}

const MAX_NAME = 80
const pick = <T extends string>(values: readonly T[], text: string | undefined) =>
  values.find((value) => value === text)
const short = (text: string | undefined) => (text === undefined ? undefined : text.slice(0, MAX_NAME))

/** Parses a list view from a query string. Invalid values are ignored. */
export function readListView(search: string): ListView {
  const read = (name: string) => readParameter(search, name)
  return {
    verdict: pick(VERDICT_CODES, read('verdict')),
    flag: pick(FLAGS, read('flag')),
    network: short(read('network')),
    price: pick(Object.keys(PRICE_RANGES) as PriceRange[], read('price')),
    directory: short(read('directory')),
    sort: pick(Object.keys(SORTS) as Sort[], read('sort')) ?? 'worst',
    page: readPage(read('page')),
  }
}

/** Whether a view selects by more than the verdict, which no index does. */
export function isFiltered({ flag, network, price, directory }: ListView): boolean {
  return [flag, network, price, directory].some((value) => value !== undefined)
}

/** Whether a view is in the order of prices, which no index has. */
export function isByPrice({ sort }: ListView): boolean {
  return sort === 'cheap' || sort === 'dear'
}

/** URL of the list with some of a view changed. Another selection or order starts at its first page. */
export function viewUrl(view: ListView, changes: Partial<ListView>): string {
  const { sort, page, ...filters } = { ...view, page: 1, ...changes }
  const parts = [
    ...Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ...(sort === 'worst' ? [] : [['sort', sort]]),
    ...(page === 1 ? [] : [['page', `${page}`]]),
  ].map(([name, value = '']) => `${name}=${encodeURIComponent(value)}`)
  return `/${parts.length === 0 ? '' : `?${parts.join('&')}`}#services`
}
