import type { Purchase } from '../facts/facts.ts'
import { DAY, HOUR } from '../facts/times.ts'
import type { Clock } from '../lib/clock.ts'
import { repeat } from '../lib/repeat.ts'
import { type NewSalt, purchaseLeaf } from '../publish/leaves.ts'
import { PURCHASE_WITHHELD_MS, publishedFrom } from '../publish/publishedInputs.ts'
import { readDocument, readDocuments } from '../store/documents.ts'
import type { Store } from '../store/store.ts'

/** A test purchase that the log does not tell of yet, and the account that made it. */
type Withheld = { readonly purchase: Purchase; readonly account: number }

/** Test purchases whose log entries wait: an entry shows a seller which payments are tests. */
export type WithheldPurchases = {
  /** Keeps a purchase until its entry is due. Resolves once that is durable. */
  add(purchase: Purchase, account: number): Promise<void>
  /** Retires the account of a purchase, which its seller may know. */
  retireAccount(id: string): Promise<void>
  /** Logs purchases that are published as evidence. */
  publish(ids: readonly string[]): Promise<void>
  /** Logs the purchases that are due. Returns their number. */
  publishDue(): Promise<number>
}

type WithheldDeps = {
  readonly documents: Store
  readonly log: Store
  readonly clock: Clock
  /**
   * Called first with each account that a purchase shows before its 30 days, so that a crash leaves none of them in use.
   * @default there are no accounts
   */
  readonly retire?: ((account: number) => Promise<unknown>) | undefined
  /** @default nothing is logged */
  readonly newSalt?: NewSalt | undefined
}

const KIND = 'withheld-purchase'
/** A service that stands still for a while logs late, not never. */
const KEPT_MS = 3650 * DAY

export function createWithheldPurchases(deps: WithheldDeps): WithheldPurchases {
  const { documents, log, clock, newSalt, retire } = deps
  const publish = async ({ purchase, account }: Withheld) => {
    if (purchase.at + PURCHASE_WITHHELD_MS > clock.now()) await retire?.(account)
    // Once: after a crash in between it is there already.
    if (newSalt !== undefined)
      await log.write('addLeaves', [{ ...purchaseLeaf(purchase, newSalt), once: true }])
    await documents.write('removeDocument', KIND, purchase.id)
  }
  return {
    async add(purchase, account) {
      const data: Withheld = { purchase, account }
      await documents.write(
        'putDocument',
        { kind: KIND, id: purchase.id, expiresAt: purchase.at + KEPT_MS, data },
        clock.now(),
      )
    },
    async retireAccount(id) {
      const found = await readDocument(documents, KIND, id, clock.now())
      // One that is published has retired it.
      if (found !== undefined) await retire?.((found.data as Withheld).account)
    },
    async publish(ids) {
      const found = await Promise.all(ids.map((id) => readDocument(documents, KIND, id, clock.now())))
      const withheld = found.flatMap((one) => (one === undefined ? [] : [one.data as Withheld]))
      for (const one of withheld) await publish(one)
    },
    async publishDue() {
      const due: Withheld[] = []
      for await (const { data } of readDocuments(documents, KIND, '', clock.now())) {
        const withheld = data as Withheld
        if (publishedFrom(withheld.purchase) <= clock.now()) due.push(withheld)
      }
      for (const one of due) await publish(one)
      return due.length
    },
  }
}

/** Logs purchases once they are due until the signal fires. */
export async function publishPurchases(
  purchases: Pick<WithheldPurchases, 'publishDue'>,
  { clock, onError }: { readonly clock: Clock; readonly onError: (error: unknown) => void },
  signal: AbortSignal,
): Promise<void> {
  const publish = () => purchases.publishDue().then(() => undefined, onError)
  await repeat(clock, publish, () => HOUR, signal)
}
