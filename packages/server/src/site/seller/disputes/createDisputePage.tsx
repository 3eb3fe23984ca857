import { type Disputes, MAX_DISPUTE_CHARACTERS } from '../../../claims/createDisputes.ts'
import type { HostClaims } from '../../../claims/createHostClaims.ts'
import type { Page } from '../../../http/deps.ts'
import { badQuery } from '../../../http/free/freeRoute.ts'
import { ProblemError } from '../../../http/problems.ts'
import { admit, createLimiter } from '../../../http/rateLimit.ts'
import { badField } from '../../../http/readFields.ts'
import { answerHtml, answerJson } from '../../answerHtml.tsx'
import { findHost } from '../../hostName.ts'
import type { PageDeps } from '../../pageDeps.ts'
import { CLAIMS_PATH, DISPUTES_PATH } from '../../paths.ts'
import { readParameter } from '../../readParameter.ts'
import { DisputePage, ReceivedPage } from './disputePage.tsx'
import { readDispute } from './readDispute.ts'

// A window in real time.
const PER_CLIENT = { points: 20, windowSeconds: 3600 }
const BUSY_SECONDS = 86_400

/** Creates the page by which whoever claimed a host disputes a measurement. What it takes is published by the operator. */
export function createDisputePage(
  deps: Pick<PageDeps, 'store' | 'publicUrl'>,
  claims: Pick<HostClaims, 'heldBy'>,
  disputes: Pick<Disputes, 'open'>,
): Page {
  const { store, publicUrl } = deps
  const clients = createLimiter(PER_CLIENT)
  return {
    path: DISPUTES_PATH,
    handler: ({ search, accepts }) => {
      if (accepts === 'json') {
        return answerJson({
          ...{ method: 'POST', url: publicUrl + DISPUTES_PATH, claims: publicUrl + CLAIMS_PATH },
          ...{
            fields: ['host', 'endpoint', 'incident', 'text', 'secret'],
            maxCharacters: MAX_DISPUTE_CHARACTERS,
          },
        })
      }
      const given = new Map(
        ['host', 'endpoint', 'incident'].map((name) => [name, readParameter(search, name) ?? '']),
      )
      return answerHtml(<DisputePage publicUrl={publicUrl} given={given} />)
    },
    post: async ({ fields, accepts, client }) => {
      admit(clients, client)
      const name = fields.get('host') ?? ''
      if (name === '') throw badField('host', 'missing', 'host is required')
      const { host } = await findHost(deps, name)
      const read = await readDispute(store, claims, host, fields)
      if (!read.ok) {
        const { parameter, code, message } = read.fault
        if (accepts === 'json') {
          throw badQuery([{ parameter, code, message: `${parameter}: ${message}` }], 'invalid_fields')
        }
        const page = <DisputePage publicUrl={publicUrl} given={fields} fault={read.fault} />
        return { ...answerHtml(page, { status: 400 }), isSecret: true }
      }
      const dispute = await disputes.open(read.dispute)
      if (dispute === undefined) throw tooManyDisputes()
      const { id, state } = dispute
      const answer =
        accepts === 'html'
          ? answerHtml(<ReceivedPage publicUrl={publicUrl} host={host} id={id} />, { status: 202 })
          : answerJson({ id, host, state }, { status: 202 })
      return { ...answer, isSecret: true }
    },
  }
}

const tooManyDisputes = () =>
  new ProblemError(429, 'too_many_disputes', 'Several disputes of this host wait for an answer already.', {
    retryAfterSeconds: BUSY_SECONDS,
  })
