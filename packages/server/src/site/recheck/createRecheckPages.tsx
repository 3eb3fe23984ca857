import type { Page, PageAnswer, PageRequest } from '../../http/deps.ts'
import { ProblemError } from '../../http/problems.ts'
import { admit, createLimiter } from '../../http/rateLimit.ts'
import { badField } from '../../http/readFields.ts'
import { answerHtml, answerJson } from '../answerHtml.tsx'
import { findHost } from '../hostName.ts'
import type { PageDeps } from '../pageDeps.ts'
import { profilePath, RECHECKS_PATH, recheckPath, recheckProgressPath } from '../paths.ts'
import { readParameter } from '../readParameter.ts'
import { answerSeeOther } from '../seeOther.ts'
import { AskPage } from './askPage.tsx'
import type { Rechecks } from './createRechecks.ts'
import { Progress } from './progress.tsx'
import { isOver, readProgress } from './readProgress.ts'

const REFRESH_SECONDS = 3

type Deps = Pick<PageDeps, 'store' | 'clock' | 'publicUrl'>

// A window in real time.
const PER_CLIENT = { points: 5, windowSeconds: 60 }

/**
 * Creates the pages that queue a host's endpoints for an early probe, free of charge, and show how far it is. Limited to
 * once per hour and host, and 5 times per minute and client.
 */
export function createRecheckPages(deps: Deps, rechecks: Rechecks): readonly Page[] {
  const clients = createLimiter(PER_CLIENT)
  const { store, clock, publicUrl } = deps
  return [
    {
      path: RECHECKS_PATH,
      handler: async ({ search, accepts }) => {
        const isForm = accepts === 'html' && readParameter(search, 'host') === undefined
        if (!isForm) return showProgress(deps, { search, accepts })
        return answerHtml(<AskPage publicUrl={publicUrl} path={RECHECKS_PATH} />)
      },
      post: async ({ fields, accepts, client }) => {
        admit(clients, client)
        const name = fields.get('host') ?? ''
        if (name === '') throw badField('host', 'missing', 'host is required')
        const { host, endpoints } = await findHost({ store }, name)
        const since = clock.now()
        const wait = await rechecks.ask(host)
        if (wait > 0) throw recheckedLately(wait)
        const progress = recheckProgressPath(host, since)
        if (accepts === 'html') return answerSeeOther(progress)
        const body = {
          host,
          endpoints: endpoints.map(({ endpoint }) => endpoint),
          profile: publicUrl + profilePath(host),
          progress: publicUrl + progress,
        }
        return answerJson(body, { status: 202, maxAgeSeconds: 0 })
      },
    },
    {
      path: '/services/:host/recheck',
      handler: async ({ params, accepts }) => {
        const { host } = await findHost({ store }, params.host)
        if (accepts === 'json') return answerJson({ host, method: 'POST', url: publicUrl + RECHECKS_PATH })
        return answerHtml(<AskPage publicUrl={publicUrl} path={recheckPath(host)} host={host} />)
      },
    },
  ]
}

const recheckedLately = (wait: number) =>
  new ProblemError(
    429,
    'rechecked_lately',
    `This host was re-checked less than an hour ago; try again in ${wait} s.`,
    { retryAfterSeconds: wait },
  )

/**
 * Reads how far the re-check is that a query names.
 * @throws ProblemError 400 for an invalid query, 404 for an unknown host
 */
async function findProgress(deps: Deps, search: string) {
  const name = readParameter(search, 'host')
  if (name === undefined) throw badField('host', 'missing', 'host is required')
  const summary = await findHost(deps, name)
  const now = deps.clock.now()
  const since = readParameter(search, 'since')
  if (since === undefined || !/^\d{1,15}$/.test(since)) {
    throw badField('since', 'malformed', 'since: expected the time of the request in ms')
  }
  return { progress: readProgress(summary, Number(since), now), now }
}

async function showProgress(
  deps: Deps,
  { search, accepts }: Pick<PageRequest, 'search' | 'accepts'>,
): Promise<PageAnswer> {
  const { progress, now } = await findProgress(deps, search)
  if (accepts === 'json') return answerJson(progress, { maxAgeSeconds: 0 })
  return answerHtml(<Progress progress={progress} publicUrl={deps.publicUrl} now={now} />, {
    maxAgeSeconds: 0,
    ...(!isOver(progress, now) && { refreshSeconds: REFRESH_SECONDS }),
  })
}
