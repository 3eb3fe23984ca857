import { DAY, toDate, toTimestamp } from '../../../facts/times.ts'
import { badField } from '../../../http/readFields.ts'
import { ProblemError } from '../../../lib/problemError.ts'
import { MAX_DISPUTE_CHARACTERS, openDispute } from '../../../owners/disputes.ts'
import type { HostClaim } from '../../../owners/hostClaim.ts'
import { type ReplySubject, sendReply, withdrawReply } from '../../../owners/replies.ts'
import { findForbidden, MAX_REPLY_CHARACTERS } from '../../../owners/replyText.ts'
import { readState } from '../../../store/endpoints.ts'
import { readIncident } from '../../../store/feeds.ts'
import { readHost, readUrl } from '../../hostName.ts'
import type { PageDeps } from '../../pageDeps.ts'
import { isId } from '../../readParameter.ts'
import { cleanText } from '../../text.ts'
import type { Outcome, Sent } from './sent.ts'

/** Shows or withdraws a reply of the owner. */
export async function reply(
  deps: PageDeps,
  { host, of, countRequest }: Sent,
  held: HostClaim,
): Promise<Outcome> {
  const about = of('about')
  const subject =
    readHost(about) === host
      ? { host, endpoint: null, incident: null }
      : await readSubject(deps, host, about, 'the host, ')
  // Each takes an entry of the log.
  countRequest()
  const text = of('method') === 'remove' ? '' : of('text')
  if (text === '') {
    const withdrawn = await withdrawReply(deps, subject)
    if (withdrawn === undefined) throw badField('text', 'missing', 'Enter the text; no reply stands here.')
    return {
      json: {
        id: withdrawn,
        host,
        about,
        state: 'withdrawn',
        at: toTimestamp(deps.clock.now()),
        commitment: null,
      },
      note: 'Your reply is withdrawn. The log keeps its hash, not its text.',
    }
  }
  refuseLong(text, MAX_REPLY_CHARACTERS)
  const fault = findForbidden(text)
  if (fault !== undefined) throw badField(fault.parameter, fault.code, fault.message)
  const { id, at, commitment } = await sendReply(deps, subject, cleanText(text, MAX_REPLY_CHARACTERS), held)
  return {
    json: { id, host, about, state: 'shown', at: toTimestamp(at), commitment },
    note: 'Your reply is on the profile now, and nowhere else. It ends with your claim. Sending another one about the same replaces it.',
  }
}

/** Opens a dispute. */
export async function dispute(deps: PageDeps, { host, of }: Sent): Promise<Outcome> {
  const text = cleanText(of('text'), MAX_DISPUTE_CHARACTERS)
  if (text === '') throw badField('text', 'missing', 'Enter the text.')
  refuseLong(of('text'), MAX_DISPUTE_CHARACTERS)
  const subject = await readSubject(deps, host, of('about'))
  const opened = await openDispute(deps, { ...subject, text })
  if (opened === undefined) {
    const detail = 'Several disputes of this host wait for an answer already.'
    throw new ProblemError(429, 'too_many_disputes', detail, { retryAfterSeconds: DAY / 1000 })
  }
  const { id, at, promisedBy } = opened
  return {
    status: 202,
    json: { id, host, state: 'open', since: toTimestamp(at), promisedBy: toTimestamp(promisedBy) },
    note: `Opened as ${id}. That it is open is public now; its text is once it is answered, promised by ${toDate(promisedBy)}.`,
  }
}

/** Reads the endpoint or the incident of a host that a statement is about. @throws ProblemError 400 */
async function readSubject(
  { store }: Pick<PageDeps, 'store'>,
  host: string,
  about: string,
  others = '',
): Promise<ReplySubject> {
  const endpoint = readUrl(about)?.key ?? null
  const incident = endpoint === null && isId(about) ? about : null
  const found =
    endpoint === null
      ? incident !== null && (await readIncident(store, incident))
      : (await readState(store, endpoint))?.state
  if (found && found.host === host) return { host, endpoint, incident }
  const message = `expected ${others}the URL of an endpoint of the host, or the id of an incident`
  throw badField('about', 'unknown', message)
}

function refuseLong(text: string, most: number): void {
  if ([...text].length > most) throw badField('text', 'too_long', `expected at most ${most} characters`)
}
