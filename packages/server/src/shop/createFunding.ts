import { ADDRESS_PATTERN, findNetwork } from '@touchstone402/shared'
import {
  type Address,
  addressAt,
  logIndexAt,
  type TransferColumns,
  type TransferSource,
  txHashAt,
  valueAt,
} from '@touchstone402/transfers'
import type { Time } from '../facts/facts.ts'
import { DAY } from '../facts/times.ts'
import type { Clock } from '../lib/clock.ts'
import { readDocument, readDocuments } from '../store/documents.ts'
import type { Store } from '../store/store.ts'

/** A payment by which a seller funds a test purchase. */
type Credit = {
  readonly from: string
  readonly amountAtomic: string
  /** Drawn, so that the seller cannot tell from its own payment when the purchase comes. */
  readonly notBefore: Time
  /** The endpoint that it was spent on; null before. */
  readonly spentOn: string | null
}

/** A payment that is due, and not spent. */
export type DueCredit = Pick<Credit, 'from' | 'amountAtomic'> & { readonly id: string }

/** Payments by which sellers fund test purchases beyond the usual limit. Each is spent once, across restarts. */
export type Funding = {
  /** Reads new payments from chain. */
  refresh(): Promise<void>
  /** Lists the payments that are due and not spent. */
  due(): Promise<readonly DueCredit[]>
  /** Spends a credit. Resolves once that is durable, with whether it was still open. */
  spend(id: string, endpoint: string): Promise<boolean>
  /** Takes a spent credit back, since nothing was paid. */
  release(id: string): Promise<void>
}

export type FundingDeps = {
  readonly source: Pick<TransferSource, 'heads' | 'transfers' | 'blockAtOrBefore'>
  readonly documents: Store
  readonly clock: Pick<Clock, 'now'>
  /** CAIP-2 id of the chain that `source` reads. */
  readonly network: string
  /** Address that payments go to. */
  readonly payTo: string
  /** Payments up to this amount fund nothing, since the usual limit covers such a price. */
  readonly aboveAtomic: bigint
  /** Whether an address is the receiver of an endpoint; payments of others are not kept. */
  readonly isReceiver: (address: string) => Promise<boolean>
  /** 0 to 1. */
  readonly random: () => number
}

const KIND = 'funded-purchase'
const CURSOR = 'funded-purchase-cursor'
/** Time within which a credit is spent; it is not refunded. */
const CREDIT_MS = 90 * DAY
const NEVER = Number.MAX_SAFE_INTEGER
/** Blocks behind the head, so that a reorganisation takes no credit back: two minutes on Base. */
const CONFIRMATIONS = 60
/** Blocks read at most at once; the next round continues. */
const MOST_BLOCKS = 50_000
/** Payments kept at most of one round. */
const MOST_CREDITS = 1_000
/** A purchase comes 1 to 14 days after its payment. */
const drawDelay = (random: () => number) => (1 + 13 * random()) * DAY

/** Creates the funding over a store, which survives a restart. Its cursor begins at the head of the chain. */
export function createFunding(deps: FundingDeps): Funding {
  const { source, documents, clock, network, payTo, aboveAtomic, isReceiver, random } = deps
  const token = findNetwork(network)?.usdc
  const write = (id: string, data: Credit, expiresAt: Time) =>
    documents.write('putDocument', { kind: KIND, id, expiresAt, data }, clock.now())

  const readCursor = async (head: number): Promise<number> => {
    const known = (await readDocument(documents, CURSOR, network, clock.now()))?.data
    return typeof known === 'number' ? known : head
  }
  const add = async (columns: TransferColumns) => {
    const rows = Array.from({ length: columns.count }, (_, row) => row)
    const dear = rows.filter((row) => valueAt(columns, row) > aboveAtomic).slice(0, MOST_CREDITS)
    for (const row of dear) {
      const id = `${txHashAt(columns, columns.tx[row] ?? 0)} ${logIndexAt(columns, row)}`
      // Known after a crash before the cursor moved.
      if ((await readDocument(documents, KIND, id, clock.now())) !== undefined) continue
      const from = addressAt(columns, columns.from[row] ?? 0)
      if (!(await isReceiver(from))) continue
      const notBefore = clock.now() + drawDelay(random)
      const amountAtomic = valueAt(columns, row).toString()
      await write(id, { from, amountAtomic, notBefore, spentOn: null }, clock.now() + CREDIT_MS)
    }
  }
  return {
    async refresh() {
      if (!isAddress(token) || !isAddress(payTo)) return
      const { latest } = await source.heads()
      const head = latest.number - CONFIRMATIONS
      const from = (await readCursor(head)) + 1
      const to = Math.min(head, from + MOST_BLOCKS - 1)
      if (to >= from) {
        const { columns } = await source.transfers({ token, fromBlock: from, toBlock: to, to: payTo })
        await add(columns)
      }
      await documents.write(
        'putDocument',
        { kind: CURSOR, id: network, expiresAt: NEVER, data: Math.max(to, from - 1) },
        clock.now(),
      )
    },
    async due() {
      const due: DueCredit[] = []
      for await (const { id, data } of readDocuments(documents, KIND, '', clock.now())) {
        const { from, amountAtomic, spentOn, notBefore } = data as Credit
        if (spentOn === null && notBefore <= clock.now()) due.push({ id, from, amountAtomic })
      }
      return due
    },
    async spend(id, endpoint) {
      const found = await readDocument(documents, KIND, id, clock.now())
      const credit = found?.data as Credit | undefined
      if (found === undefined || credit === undefined || credit.spentOn !== null) return false
      await write(id, { ...credit, spentOn: endpoint }, found.expiresAt)
      return true
    },
    async release(id) {
      const found = await readDocument(documents, KIND, id, clock.now())
      if (found === undefined) return
      await write(id, { ...(found.data as Credit), spentOn: null }, found.expiresAt)
    },
  }
}

const isAddress = (text: string | undefined): text is Address =>
  text !== undefined && ADDRESS_PATTERN.test(text)
