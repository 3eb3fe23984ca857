import type { Environment } from '../config/storageSettings.ts'
import { toTimestamp } from '../facts/times.ts'
import { systemClock } from '../lib/clock.ts'
import { RANDOM_IDS } from '../lib/ids.ts'
import * as owners from '../owners/replies.ts'
import { cleanText } from '../site/text.ts'
import { readStatement } from './readStatement.ts'
import { withStore } from './withStore.ts'

/** Returns the replies of owners that were not taken down. */
export async function listReplies(environment: Environment): Promise<string> {
  const replies = await withStore(environment, (store) => owners.listReplies({ store, clock: systemClock }))
  if (replies.length === 0) return 'There is no reply.'
  return replies
    .map(({ id, at, host, endpoint, incident, text }) =>
      [`${id}  ${toTimestamp(at)}`, `  about ${incident ?? endpoint ?? host}`, `  ${text}`].join('\n'),
    )
    .join('\n')
}

/** Takes a reply down for a reason that is public. Returns a summary. @throws Error with the reason if it fails */
export async function takeDownReply(
  given: { readonly id: string; readonly reason: string },
  environment: Environment,
): Promise<string> {
  const reason = readStatement('REASON', given.reason)
  const reply = await withStore(environment, (store) =>
    owners.takeDownReply({ store, clock: systemClock, ids: RANDOM_IDS }, given.id, reason),
  )
  if (reply === undefined) throw new Error(`there is no reply ${cleanText(given.id)}`)
  return `${reply.id} is taken down. Its text is deleted; the profile of ${reply.host} says why.`
}
