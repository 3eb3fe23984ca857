import type { Context } from '../context.ts'
import type { Purchase } from '../facts/facts.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { logFailure } from '../lib/logFailure.ts'
import { repeat } from '../lib/repeat.ts'
import { purchaseLeaf } from '../publish/leaves.ts'
import { PURCHASE_WITHHELD_MS, publishedFrom } from '../publish/publishedInputs.ts'
import { readDocument, readDocuments } from '../store/documents.ts'
import type { ShopperAccounts } from './accounts.ts'

/**
 * A test purchase that the log does not tell of yet, and the account that made it. Its log entry waits, since it shows a
 * seller which payments are tests.
 */
type Withheld = { readonly purchase: Purchase; readonly account: number }

/** The accounts that purchases show; null if this process makes none. */
type Accounts = Pick<ShopperAccounts, 'retire'> | null

const KIND = 'withheld-purchase'
/** A service that stands still for a while logs late, not never. */
const KEPT_MS = 3650 * DAY

type Reading = Pick<Context, 'store' | 'clock'>
type Logging = Reading & Pick<Context, 'ids'>

/** Keeps a purchase until its log entry is due. Resolves once that is durable. */
export async function withholdPurchase(
  { store, clock }: Reading,
  purchase: Purchase,
  account: number,
): Promise<void> {
  const data: Withheld = { purchase, account }
  const document = { kind: KIND, id: purchase.id, expiresAt: purchase.at + KEPT_MS, data }
  await store.write('putDocument', document, clock.now())
}

/** Retires the account of a purchase, which its seller may know. */
export async function retireAccount(ctx: Reading, accounts: Accounts, id: string): Promise<void> {
  const withheld = await read(ctx, id)
  // One that is published has retired it.
  if (withheld !== undefined) await accounts?.retire(withheld.account)
}

/** Logs purchases that are published as evidence. */
export async function publishPurchases(
  ctx: Logging,
  accounts: Accounts,
  ids: readonly string[],
): Promise<void> {
  const found = await Promise.all(ids.map((id) => read(ctx, id)))
  for (const withheld of found) if (withheld !== undefined) await publish(ctx, accounts, withheld)
}

/** Logs the purchases that are due. Returns their number. */
export async function publishDuePurchases(ctx: Logging, accounts: Accounts): Promise<number> {
  const { store, clock } = ctx
  const due: Withheld[] = []
  for await (const { data } of readDocuments(store, KIND, '', clock.now())) {
    const withheld = data as Withheld
    if (publishedFrom(withheld.purchase) <= clock.now()) due.push(withheld)
  }
  for (const one of due) await publish(ctx, accounts, one)
  return due.length
}

/** Logs purchases once they are due until the signal fires. */
export async function watchPurchases(
  ctx: Logging & Pick<Context, 'log'>,
  accounts: Accounts,
  signal: AbortSignal,
): Promise<void> {
  const round = async () => {
    try {
      await publishDuePurchases(ctx, accounts)
    } catch (error) {
      logFailure(ctx.log, 'purchase log', error)
    }
  }
  await repeat(ctx.clock, round, () => HOUR, signal)
}

const read = async ({ store, clock }: Reading, id: string) =>
  (await readDocument(store, KIND, id, clock.now()))?.data as Withheld | undefined

async function publish(ctx: Logging, accounts: Accounts, { purchase, account }: Withheld): Promise<void> {
  const { store, clock, ids } = ctx
  // First, so that a crash leaves no account in use that a purchase shows before its 30 days.
  if (purchase.at + PURCHASE_WITHHELD_MS > clock.now()) await accounts?.retire(account)
  // Once: after a crash in between it is there already.
  await store.write('addLeaves', [{ ...purchaseLeaf(purchase, ids.newSalt), once: true }])
  await store.write('removeDocument', KIND, purchase.id)
}
