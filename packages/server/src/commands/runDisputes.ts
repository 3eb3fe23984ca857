import type { Environment } from '../config/storageSettings.ts'
import { toTimestamp } from '../facts/times.ts'
import { newSalt } from '../lib/newSalt.ts'
import { systemClock } from '../lib/systemClock.ts'
import {
  createDisputeDesk,
  type Dispute,
  type DisputeDesk,
  MAX_DISPUTE_CHARACTERS,
} from '../owners/createDisputes.ts'
import { cleanText } from '../site/text.ts'
import { withStore } from './withStore.ts'

/** Returns the disputes that wait. */
export async function listDisputes(environment: Environment): Promise<string> {
  const waiting = await withDesk(environment, (desk) => desk.waiting())
  if (waiting.length === 0) return 'No dispute waits.'
  return waiting
    .map(({ id, at, endpoint, incident, text }) =>
      [`${id}  ${toTimestamp(at)}`, `  about ${incident ?? endpoint}`, `  ${text}`].join('\n'),
    )
    .join('\n')
}

/** Publishes a dispute with an answer. Returns a summary. @throws Error with the reason if it fails */
export async function publishDispute(
  given: { readonly id: string; readonly answer: string },
  environment: Environment,
): Promise<string> {
  const { id } = given
  const answer = readAnswer(given.answer)
  const { host, incident } = found(await withDesk(environment, (desk) => desk.publish(id, answer)), id)
  const place = incident === null ? 'its profile' : `its profile and at /incidents/${incident}`
  return `${id} of ${host} is published on ${place}, with your answer.`
}

/** Rejects a dispute. Returns a summary. @throws Error if there is none of this id */
export async function rejectDispute(id: string, environment: Environment): Promise<string> {
  const { id: rejected } = found(await withDesk(environment, (desk) => desk.reject(id)), id)
  return `${rejected} is rejected, and shown nowhere.`
}

const withDesk = <T>(environment: Environment, work: (desk: DisputeDesk) => Promise<T>): Promise<T> =>
  withStore(environment, (store) =>
    work(createDisputeDesk({ documents: store.expiring, clock: systemClock, store, newSalt })),
  )

function readAnswer(given: string): string {
  const answer = cleanText(given, MAX_DISPUTE_CHARACTERS)
  if (answer === '' || [...given].length > MAX_DISPUTE_CHARACTERS) {
    throw new Error(`--answer takes 1 to ${MAX_DISPUTE_CHARACTERS} characters of plain text`)
  }
  return answer
}

function found(dispute: Dispute | undefined, id: string): Dispute {
  if (dispute === undefined) throw new Error(`there is no dispute ${cleanText(id)}`)
  return dispute
}
