import { randomBytes } from 'node:crypto'
import { createWebhooks, type Webhooks } from '../../notices/createWebhooks.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'

const SECRET_BYTES = 32
const ID_BYTES = 12

/** Opens the webhooks that a store keeps. */
export function openWebhooks(
  { expiring }: Pick<Store, 'expiring'>,
  clock: Pick<Clock, 'now'>,
  allowPrivate: readonly string[],
): Webhooks {
  return createWebhooks({
    documents: expiring,
    clock,
    allowPrivate,
    newSecret: () => randomBytes(SECRET_BYTES),
    newId: (prefix) => `${prefix}_${randomBytes(ID_BYTES).toString('base64url')}`,
  })
}
