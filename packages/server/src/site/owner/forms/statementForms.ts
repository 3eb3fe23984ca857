import { DAY, toTimestamp } from '../../../facts/times.ts'
import { ProblemError } from '../../../http/problems.ts'
import { badField } from '../../../http/readFields.ts'
import { MAX_DISPUTE_CHARACTERS } from '../../../owners/createDisputes.ts'
import { formatDate } from '../../format.ts'
import { readUrl } from '../../hostName.ts'
import type { PageDeps } from '../../pageDeps.ts'
import { isId } from '../../readParameter.ts'
import { cleanText } from '../../text.ts'
import type { Outcome, Sent } from './sent.ts'

/** Opens a dispute. */
export async function dispute(deps: PageDeps, { host, of }: Sent): Promise<Outcome> {
  const text = cleanText(of('text'), MAX_DISPUTE_CHARACTERS)
  if (text === '') throw badField('text', 'missing', 'Enter the text.')
  if ([...of('text')].length > MAX_DISPUTE_CHARACTERS)
    throw badField('text', 'too_long', `expected at most ${MAX_DISPUTE_CHARACTERS} characters`)
  const subject = await readSubject(deps, host, of('about'))
  const opened = await deps.disputes.open({ ...subject, text })
  if (opened === undefined) {
    const detail = 'Several disputes of this host wait for an answer already.'
    throw new ProblemError(429, 'too_many_disputes', detail, { retryAfterSeconds: DAY / 1000 })
  }
  const { id, at, promisedBy } = opened
  return {
    status: 202,
    json: { id, host, state: 'open', since: toTimestamp(at), promisedBy: toTimestamp(promisedBy) },
    note: `Opened as ${id}. That it is open is public now; its text is once it is answered, promised by ${formatDate(promisedBy)}.`,
  }
}

/** Reads the endpoint or the incident of a host that a statement is about. @throws ProblemError 400 */
async function readSubject({ store }: Pick<PageDeps, 'store'>, host: string, about: string) {
  const endpoint = readUrl(about)?.key ?? null
  const incident = endpoint === null && isId(about) ? about : null
  const found =
    endpoint === null
      ? incident !== null && (await store.incident(incident))
      : (await store.endpoint(endpoint))?.state
  if (found && found.host === host) return { host, endpoint, incident }
  const message = `expected the URL of an endpoint of the host, or the id of an incident`
  throw badField('about', 'unknown', message)
}
