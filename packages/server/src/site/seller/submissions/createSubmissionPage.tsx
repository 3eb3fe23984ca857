import { type CanonicalUrl, canonicalizeUrl, InvalidUrlError, siteOf } from '@touchstone402/shared'
import type { Auditor } from '../../../audit/createAuditor.ts'
import type { Page, PageAnswer } from '../../../http/deps.ts'
import { ProblemError } from '../../../http/problems.ts'
import { admit, createLimiter } from '../../../http/rateLimit.ts'
import { badField } from '../../../http/readFields.ts'
import { answerHtml, answerJson } from '../../answerHtml.tsx'
import { readUrl } from '../../hostName.ts'
import type { PageDeps } from '../../pageDeps.ts'
import { focusPath, SUBMISSIONS_PATH, submissionPath } from '../../paths.ts'
import { readParameter } from '../../readParameter.ts'
import { answerSeeOther } from '../../seeOther.ts'
import { createSubmissions, type Submission } from './createSubmissions.ts'
import { describeRefusal } from './describeRefusal.ts'
import { SubmissionPage } from './submissionPage.tsx'

// Windows in real time.
const PER_CLIENT = { points: 10, windowSeconds: 3600 }
const PER_SITE = { points: 5, windowSeconds: 3600 }
const REFRESH_SECONDS = 2
const BUSY_SECONDS = 60

/** Creates the page that takes endpoints for a first probe, free of charge, limited by client and registrable domain. */
export function createSubmissionPage(
  { store, publicUrl }: Pick<PageDeps, 'store' | 'publicUrl'>,
  look: Auditor['lookSubmitted'],
): Page {
  const clients = createLimiter(PER_CLIENT)
  const sites = createLimiter(PER_SITE)
  const submissions = createSubmissions(look)
  const isKnown = async (endpoint: string) => (await store.endpoint(endpoint)) !== undefined
  const describeJson = (endpoint: string, submission: Submission | { state: 'known' }) => ({
    endpoint,
    ...submission,
    ...(submission.state === 'refused' && { detail: describeRefusal(submission) }),
    progress: publicUrl + submissionPath(endpoint),
    profile: publicUrl + focusPath(new URL(endpoint).host, endpoint),
  })

  return {
    path: SUBMISSIONS_PATH,
    handler: async ({ search, accepts }): Promise<PageAnswer> => {
      const text = readParameter(search, 'url')
      if (text === undefined && accepts === 'html')
        return answerHtml(<SubmissionPage publicUrl={publicUrl} />)
      const { key: endpoint, host } = readSubmitted(text ?? '')
      const submission = submissions.find(endpoint)
      if (submission?.state !== 'waiting' && (await isKnown(endpoint))) {
        return accepts === 'html'
          ? answerSeeOther(focusPath(host, endpoint))
          : answerJson(describeJson(endpoint, { state: 'known' }), { maxAgeSeconds: 0 })
      }
      if (accepts === 'json') {
        if (submission === undefined) throw new ProblemError(404, 'not_submitted', NOT_SUBMITTED)
        return answerJson(describeJson(endpoint, submission), { maxAgeSeconds: 0 })
      }
      const page = answerHtml(
        <SubmissionPage publicUrl={publicUrl} endpoint={endpoint} submission={submission} />,
        { maxAgeSeconds: 0 },
      )
      return submission?.state === 'waiting' ? { ...page, refreshSeconds: REFRESH_SECONDS } : page
    },
    post: async ({ fields, accepts, client }): Promise<PageAnswer> => {
      admit(clients, client)
      const given = fields.get('url') ?? ''
      if (accepts === 'html' && readUrl(given) === undefined) {
        return answerHtml(
          <SubmissionPage publicUrl={publicUrl} endpoint={given} fault={findFault(given)} />,
          {
            status: 400,
            maxAgeSeconds: 0,
          },
        )
      }
      const { key: endpoint, host, hostname } = readSubmitted(given)
      if (await isKnown(endpoint)) {
        return accepts === 'html'
          ? answerSeeOther(focusPath(host, endpoint))
          : answerJson(describeJson(endpoint, { state: 'known' }), { maxAgeSeconds: 0 })
      }
      const perSite = sites.take(siteOf(hostname))
      if (perSite > 0) throw tooManyOfSite(perSite)
      if (!submissions.submit(endpoint)) throw busy()
      if (accepts === 'html') return answerSeeOther(submissionPath(endpoint))
      const body = describeJson(endpoint, { state: 'waiting' })
      return answerJson(body, { status: 202, maxAgeSeconds: 0 })
    },
  }
}

const NOT_SUBMITTED = 'This endpoint was not submitted lately.'

const tooManyOfSite = (wait: number) =>
  new ProblemError(429, 'too_many_of_site', `Too many submissions of this domain; retry in ${wait} s.`, {
    retryAfterSeconds: wait,
  })

const busy = () =>
  new ProblemError(503, 'submissions_busy', 'Too many submissions wait for their probe.', {
    retryAfterSeconds: BUSY_SECONDS,
  })

function readSubmitted(text: string): CanonicalUrl {
  const fault = findFault(text)
  if (fault !== undefined) throw badField('url', text === '' ? 'missing' : 'malformed', `url: ${fault}`)
  return canonicalizeUrl(text)
}

/** Says what is wrong with a submitted URL. */
function findFault(text: string): string | undefined {
  if (text === '') return 'Enter the URL.'
  try {
    canonicalizeUrl(text)
    return undefined
  } catch (error) {
    if (error instanceof InvalidUrlError) return error.message
    throw error
  }
}
