import { siteOf } from '@touchstone402/shared'
import {
  CLAIM_METHODS,
  claimToken,
  hostnameOf,
  isClaimSecret,
  newClaimSecret,
} from '../../../claims/claimTexts.ts'
import type { HostClaims } from '../../../claims/createHostClaims.ts'
import type { ClaimFault, ClaimRequest, HostClaim } from '../../../claims/hostClaim.ts'
import { toDate, toTimestamp } from '../../../domain/facts/times.ts'
import type { Page, PageAnswer, PostRequest } from '../../../http/deps.ts'
import { badQuery } from '../../../http/free/freeRoute.ts'
import { admit, createLimiter } from '../../../http/rateLimit.ts'
import { badField } from '../../../http/readFields.ts'
import { answerHtml, answerJson } from '../../answerHtml.tsx'
import { findHost } from '../../hostName.ts'
import type { PageDeps } from '../../pageDeps.ts'
import { CLAIMS_PATH, DISPUTES_PATH, profilePath } from '../../paths.ts'
import { readParameter } from '../../readParameter.ts'
import { AskPage, ClaimedPage, ClaimPage } from './claimPage.tsx'
import { describeWays } from './describeWays.ts'

type Deps = Pick<PageDeps, 'store' | 'clock' | 'publicUrl'>
type Claims = Pick<HostClaims, 'claim' | 'of' | 'fileUrl'>

// Windows in real time.
const PER_CLIENT = { points: 20, windowSeconds: 3600 }
/** Nobody can have another host asked all day. */
const PER_SITE = { points: 30, windowSeconds: 3600 }

/**
 * Creates the page by which somebody claims a host. Its GET gives each visitor a secret and the token that commits to
 * it; a POST checks that the host publishes the token, or that a receiver signed it.
 */
export function createClaimPage(deps: Deps, claims: Claims): Page {
  const { clock, publicUrl } = deps
  const clients = createLimiter(PER_CLIENT)
  const sites = createLimiter(PER_SITE)
  const waysFor = (host: string, secret: string, date: string) =>
    describeWays({
      host,
      publicUrl,
      date,
      token: claimToken(publicUrl, host, secret),
      fileUrl: claims.fileUrl(host),
    })

  return {
    path: CLAIMS_PATH,
    handler: async ({ search, accepts }) => {
      const name = readParameter(search, 'host')
      if (name === undefined) {
        if (accepts === 'html') return answerHtml(<AskPage publicUrl={publicUrl} />)
        throw badField('host', 'missing', 'host is required')
      }
      const { host } = await findHost(deps, name)
      const secret = newClaimSecret()
      const ways = waysFor(host, secret, toDate(clock.now()))
      const held = await claims.of(host)
      if (accepts === 'html') {
        return alone(
          answerHtml(<ClaimPage host={host} publicUrl={publicUrl} ways={ways} secret={secret} held={held} />),
        )
      }
      return alone(answerJson({ host, claims: held.map(describeClaim), secret, ...ways }))
    },
    post: async ({ fields, accepts, client }) => {
      admit(clients, client)
      const name = fields.get('host') ?? ''
      if (name === '') throw badField('host', 'missing', 'host is required')
      const { host } = await findHost(deps, name)
      const read = readRequest(host, fields)
      if (!read.ok) {
        if (accepts === 'json') throw badField('secret', read.fault.code, `secret: ${read.fault.message}`)
        // The tokens of a wrong secret are of no use, so the page comes with another one.
        const secret = newClaimSecret()
        const shown = { host, publicUrl, secret, ways: waysFor(host, secret, toDate(clock.now())) }
        const page = (
          <ClaimPage {...shown} held={[]} wrongSecret={fields.get('secret') ?? ''} fault={read.fault} />
        )
        return alone(answerHtml(page, { status: 400 }))
      }
      const { request } = read
      admit(sites, siteOf(hostnameOf(host)))
      const outcome = await claims.claim(request)
      if (outcome.ok) return answerClaimed(outcome.claim, { publicUrl, accepts, secret: request.secret })
      const { fault } = outcome
      if (accepts === 'json') throw refusal(fault)
      // What was signed stays signed, unless its date is at fault.
      const isSigned = request.date !== '' && fault.parameter !== 'date'
      const ways = waysFor(host, request.secret, isSigned ? request.date : toDate(clock.now()))
      const page = (
        <ClaimPage {...{ host, publicUrl, ways, request, fault }} secret={request.secret} held={[]} />
      )
      return alone(answerHtml(page, { status: 400 }))
    },
  }
}

const alone = (answer: PageAnswer): PageAnswer => ({ ...answer, isSecret: true, isUnlisted: true })

const refusal = ({ parameter, code, message }: ClaimFault) =>
  badQuery([{ parameter, code, message: `${parameter}: ${message}` }], 'claim_not_proven')

type Read =
  | { readonly ok: true; readonly request: ClaimRequest }
  | { readonly ok: false; readonly fault: ClaimFault }

/**
 * Reads what is sent; a secret of the wrong form is a fault, which a person may have typed.
 * @throws ProblemError 400 for an unknown method
 */
function readRequest(host: string, fields: PostRequest['fields']): Read {
  const read = (name: string) => (fields.get(name) ?? '').trim()
  const method = CLAIM_METHODS.find((known) => known === read('method'))
  if (method === undefined) {
    throw badField('method', 'malformed', `method: expected one of ${CLAIM_METHODS.join(', ')}`)
  }
  const secret = read('secret')
  if (!isClaimSecret(secret)) {
    const message = 'expected the 43 characters that the page of the claim gave'
    return {
      ok: false,
      fault: { parameter: 'secret', code: secret === '' ? 'missing' : 'malformed', message },
    }
  }
  const [address, date, signature] = [read('address'), read('date'), read('signature')]
  return { ok: true, request: { host, method, secret, address, date, signature } }
}

const describeClaim = ({ method, since, address }: HostClaim) => ({
  method,
  since: toTimestamp(since),
  ...(address !== null && { address }),
})

type Asked = Pick<PostRequest, 'accepts'> & Pick<Deps, 'publicUrl'> & { readonly secret: string }

function answerClaimed(claim: HostClaim, { publicUrl, accepts, secret }: Asked): PageAnswer {
  const { host, token } = claim
  if (accepts === 'html') {
    return alone(answerHtml(<ClaimedPage claim={claim} publicUrl={publicUrl} secret={secret} />))
  }
  const profile = publicUrl + profilePath(host)
  return alone(
    answerJson({ host, ...describeClaim(claim), token, profile, disputes: publicUrl + DISPUTES_PATH }),
  )
}
