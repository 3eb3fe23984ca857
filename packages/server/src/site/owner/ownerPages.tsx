import { siteOf } from '@touchstone402/shared'
import type { Page, PageAnswer } from '../../http/deps.ts'
import { admit, createLimiter } from '../../http/rateLimit.ts'
import { withoutName } from '../../http/readFields.ts'
import { ProblemError } from '../../lib/problemError.ts'
import { hostnameOf } from '../../owners/hostClaim.ts'
import { answerHtml, answerJson, answerSeeOther } from '../answerHtml.tsx'
import type { SentForm } from '../components/form.tsx'
import { findHost, isReachable, readHost } from '../hostName.ts'
import type { PageDeps } from '../pageDeps.ts'
import { ownerPath } from '../paths.ts'
import { readParameter } from '../readParameter.ts'
import { OWNER_FORMS } from './forms/ownerForms.ts'
import { OwnerPage } from './ownerPage.tsx'
import { describeView, readView } from './readView.ts'

// Windows in real time.
const PER_CLIENT = { points: 30, windowSeconds: 3600 }
/** Limits how often the documents of a host are read, and how many replies it sends. */
const PER_SITE = { points: 30, windowSeconds: 3600 }

/** Creates `/owners/{host}`, by which the owner of a host claims it and uses the claim, and the paths of its forms. */
export function createOwnerPages(deps: PageDeps): Page[] {
  const clients = createLimiter(PER_CLIENT)
  const sites = createLimiter(PER_SITE)
  const path = '/owners/:host'
  const page: Page = {
    path,
    handler: async ({ params, search, accepts }) => {
      const host = await findOwned(deps, params.host)
      // A secret in an address would be kept by histories and logs.
      const of = (name: string) => (name === 'secret' ? '' : (readParameter(search, name)?.trim() ?? ''))
      if (accepts === 'json') return alone(answerJson(describeView(await readView(deps, host, of))))
      return show(deps, host, of, { part: '', given: new Map() })
    },
  }
  const posts = Object.entries(OWNER_FORMS).map(
    ([form, take]): Page => ({
      path: `${path}/${form}`,
      handler: ({ params }) => answerSeeOther(ownerPath(params.host ?? '')),
      post: async ({ params, fields, accepts, client }) => {
        admit(clients, client)
        const host = await findOwned(deps, params.host)
        const of = (name: string) => fields.get(name)?.trim() ?? ''
        const countRequest = () => admit(sites, siteOf(hostnameOf(host)))
        const part = form.replace('/remove', '')
        try {
          const { status = 200, json, note, copy } = await take(deps, { host, of, countRequest })
          if (accepts === 'json') return alone(answerJson(json, { status }))
          // Signed texts are checked again once they are published; what is done is not sent twice.
          const given = part === 'announcements' ? fields : new Map()
          return await show(deps, host, of, { part, given, note, copy }, { status })
        } catch (error) {
          if (accepts === 'json' || !(error instanceof ProblemError)) throw error
          const { status, retryAfterSeconds, detail, errors = [] } = error.refusal
          const { parameter, message } = errors[0] ?? { parameter: '', message: detail }
          const fault = { parameter, message: withoutName(parameter, message) }
          // A person's input is kept.
          return show(deps, host, of, { part, given: fields, fault }, { status, retryAfterSeconds })
        }
      },
    }),
  )
  return [page, ...posts]
}

/** Returns a host that can be claimed: one of the index, or one that no directory lists yet. */
async function findOwned(deps: PageDeps, name = ''): Promise<string> {
  const host = readHost(name)
  return host !== undefined && isReachable(host, deps) ? host : (await findHost(deps, name)).host
}

/** Keeps an answer with a secret out of caches and search engines. */
const alone = (answer: PageAnswer): PageAnswer => ({ ...answer, isSecret: true, isUnlisted: true })

async function show(
  deps: PageDeps,
  host: string,
  of: (name: string) => string,
  sent: SentForm,
  more: Partial<PageAnswer> = {},
) {
  const view = { ...(await readView(deps, host, of)), ...sent }
  return alone({ ...answerHtml(<OwnerPage view={view} deps={deps} />), ...more })
}
