import type { Environment } from '../config/storageSettings.ts'
import { toDate, toTimestamp } from '../facts/times.ts'
import { systemClock } from '../lib/clock.ts'
import * as owners from '../owners/disputes.ts'
import { cleanText } from '../site/text.ts'
import { readStatement } from './readStatement.ts'
import { withStore } from './withStore.ts'

/** Returns the open disputes, with the dates by which answers were promised. */
export async function listDisputes(environment: Environment): Promise<string> {
  const open = await withStore(environment, (store) => owners.listOpenDisputes({ store, clock: systemClock }))
  if (open.length === 0) return 'No dispute is open.'
  const now = systemClock.now()
  return open
    .map((dispute) => {
      const { id, at, promisedBy, endpoint, incident, text } = dispute
      const promise = `answer promised by ${toDate(promisedBy)}${owners.isOverdue(dispute, now) ? ', overdue' : ''}`
      return [`${id}  ${toTimestamp(at)}  ${promise}`, `  about ${incident ?? endpoint}`, `  ${text}`].join(
        '\n',
      )
    })
    .join('\n')
}

/** Decides a dispute, with a statement that is public. Returns a summary. @throws Error with the reason if it fails */
export async function decideDispute(
  state: owners.DisputeDecision,
  given: { readonly id: string; readonly statement: string },
  environment: Environment,
): Promise<string> {
  const statement = readStatement(state === 'rejected' ? 'REASON' : 'ANSWER', given.statement)
  const decided = await withStore(environment, (store) =>
    owners.decideDispute({ store, clock: systemClock }, given.id, state, statement),
  )
  if (decided === undefined) throw new Error(`there is no dispute ${cleanText(given.id)}`)
  const { id, host, incident } = decided
  const place = incident === null ? 'its profile' : `its profile and /incidents/${incident}`
  const shown = state === 'rejected' ? 'your reason, but not its text' : 'its text and your answer'
  return `${id} of ${host} is ${state}; see ${shown} on ${place}.`
}
