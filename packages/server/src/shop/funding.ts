import { ADDRESS_PATTERN, findNetwork, usdToAtomic } from '@touchstone402/shared'
import type { Address, Chain, Payment } from '@touchstone402/transfers'
import type { Config } from '../config/config.ts'
import type { Context } from '../context.ts'
import type { Time } from '../facts/facts.ts'
import { DAY } from '../facts/times.ts'
import { readDocument, readDocuments } from '../store/documents.ts'
import { countPaid } from '../store/hosts.ts'

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

/** Reads the chain that payments are made on. */
export type FundingSource = Pick<Chain, 'heads' | 'payments'>

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

type Spending = Pick<Context, 'store' | 'clock'>
type Refreshing = Spending & Pick<Context, 'random'> & { readonly config: Pick<Config, 'network' | 'payTo'> }

/**
 * Reads new payments by which sellers fund test purchases beyond the usual limit. Its cursor begins at the head of the chain.
 * @param usualUsd payments up to this amount fund nothing, since the usual limit covers such a price
 */
export async function refreshFunding(
  ctx: Refreshing,
  source: FundingSource,
  usualUsd: string,
): Promise<void> {
  const { store, clock, config } = ctx
  const { network, payTo } = config
  const token = findNetwork(network)?.usdc
  if (!isAddress(token) || !isAddress(payTo)) return
  const { latest } = await source.heads({})
  const head = latest.number - CONFIRMATIONS
  const known = (await readDocument(store, CURSOR, network, clock.now()))?.data
  const from = (typeof known === 'number' ? known : head) + 1
  const to = Math.min(head, from + MOST_BLOCKS - 1)
  if (to >= from) {
    const payments = await source.payments({
      token,
      fromBlock: from,
      toBlock: to,
      to: payTo,
      minValue: usdToAtomic(usualUsd) + 1n,
      limit: MOST_CREDITS,
    })
    await addCredits(ctx, payments)
  }
  await store.write(
    'putDocument',
    { kind: CURSOR, id: network, expiresAt: NEVER, data: Math.max(to, from - 1) },
    clock.now(),
  )
}

/** Lists the payments that are due and not spent. */
export async function dueCredits({ store, clock }: Spending): Promise<readonly DueCredit[]> {
  const due: DueCredit[] = []
  for await (const { id, data } of readDocuments(store, KIND, '', clock.now())) {
    const { from, amountAtomic, spentOn, notBefore } = data as Credit
    if (spentOn === null && notBefore <= clock.now()) due.push({ id, from, amountAtomic })
  }
  return due
}

/** Spends a credit, once, across restarts. Resolves once that is durable, with whether it was still open. */
export async function spendCredit(ctx: Spending, id: string, endpoint: string): Promise<boolean> {
  const found = await readDocument(ctx.store, KIND, id, ctx.clock.now())
  const credit = found?.data as Credit | undefined
  if (found === undefined || credit === undefined || credit.spentOn !== null) return false
  await write(ctx, id, { ...credit, spentOn: endpoint }, found.expiresAt)
  return true
}

/** Takes a spent credit back, since nothing was paid. */
export async function releaseCredit(ctx: Spending, id: string): Promise<void> {
  const found = await readDocument(ctx.store, KIND, id, ctx.clock.now())
  if (found === undefined) return
  await write(ctx, id, { ...(found.data as Credit), spentOn: null }, found.expiresAt)
}

/** Keeps the payments of receivers; those of others fund nothing. */
async function addCredits(ctx: Refreshing, payments: readonly Payment[]): Promise<void> {
  const { store, clock, config, random } = ctx
  for (const { txHash, logIndex, from, value } of payments) {
    const id = `${txHash} ${logIndex}`
    // Known after a crash before the cursor moved.
    if ((await readDocument(store, KIND, id, clock.now())) !== undefined) continue
    if ((await countPaid(store, config.network, from)) === 0) continue
    const notBefore = clock.now() + drawDelay(random)
    const amountAtomic = value.toString()
    await write(ctx, id, { from, amountAtomic, notBefore, spentOn: null }, clock.now() + CREDIT_MS)
  }
}

const write = ({ store, clock }: Spending, id: string, data: Credit, expiresAt: Time) =>
  store.write('putDocument', { kind: KIND, id, expiresAt, data }, clock.now())

const isAddress = (text: string | undefined): text is Address =>
  text !== undefined && ADDRESS_PATTERN.test(text)
