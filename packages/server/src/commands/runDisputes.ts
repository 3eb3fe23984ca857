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

const USAGE = 'disputes takes "list", "publish ID --answer TEXT" or "reject ID"'

/**
 * Lists the disputes that wait, publishes one with an answer, or rejects one.
 * @returns a summary
 * @throws Error with the reason if it fails
 */
export async function runDisputes(
  words: readonly string[],
  answer: string | undefined,
  environment: Environment,
): Promise<string> {
  const task = readTask(words, answer)
  return withStore(environment, (store) =>
    task(createDisputeDesk({ documents: store.expiring, clock: systemClock, store, newSalt })),
  )
}

type Task = (desk: DisputeDesk) => Promise<string>

/** Reads the command before the store is opened. */
function readTask(words: readonly string[], given: string | undefined): Task {
  const [verb, id = '', ...others] = words
  const takesId = verb === 'publish' || verb === 'reject'
  if (others.length > 0 || takesId !== (id !== '') || (verb !== 'list' && !takesId)) throw new Error(USAGE)
  if ((given !== undefined) !== (verb === 'publish')) throw new Error(USAGE)
  if (verb === 'list') return list
  if (verb === 'reject') {
    return async (desk) => `${idOf(await desk.reject(id), id)} is rejected, and shown nowhere.`
  }
  const answer = readAnswer(given ?? '')
  return async (desk) => {
    const { host, incident } = found(await desk.publish(id, answer), id)
    const place = incident === null ? 'its profile' : `its profile and at /incidents/${incident}`
    return `${id} of ${host} is published on ${place}, with your answer.`
  }
}

async function list(desk: DisputeDesk): Promise<string> {
  const waiting = await desk.waiting()
  if (waiting.length === 0) return 'No dispute waits.'
  return waiting
    .map(({ id, at, endpoint, incident, text }) =>
      [`${id}  ${toTimestamp(at)}`, `  about ${incident ?? endpoint}`, `  ${text}`].join('\n'),
    )
    .join('\n')
}

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

const idOf = (dispute: Dispute | undefined, id: string) => found(dispute, id).id
