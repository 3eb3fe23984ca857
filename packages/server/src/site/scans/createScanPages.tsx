import { canonicalizeUrl, InvalidUrlError, isTemplate } from '@touchstone402/shared'
import { DAY, toTimestamp } from '../../domain/facts/times.ts'
import type { Page } from '../../http/deps.ts'
import { ProblemError } from '../../http/problems.ts'
import type { Scans } from '../../scans/createScans.ts'
import type { ScanRecord } from '../../scans/scanRecord.ts'
import { answerHtml, answerJson } from '../answerHtml.tsx'
import type { PageDeps } from '../pageDeps.ts'
import { profilePath, SCANS_PATH, scanPath } from '../paths.ts'
import { answerSeeOther } from '../seeOther.ts'
import { isOver, ScanPage } from './scanPage.tsx'

const KEPT_DAYS = 90
const DONE_SECONDS = 60

/** Creates the path that takes scans, and the page of each. */
export function createScanPages(deps: PageDeps, scans: Pick<Scans, 'start' | 'read'>): Page[] {
  return [createScanForm(deps, scans), createScanPage(deps, scans)]
}

/** Creates the path that takes a scan, and leads to its page. The form itself stands on the home page. */
function createScanForm({ publicUrl }: PageDeps, scans: Pick<Scans, 'start'>): Page {
  return {
    path: SCANS_PATH,
    handler: () => answerSeeOther('/'),
    async post({ fields, accepts, client }) {
      const scan = await scans.start(readScanUrl(fields.get('url')), client)
      const seeOther = { ...answerSeeOther(scanPath(scan.id)), isUnlisted: true }
      return accepts === 'html'
        ? seeOther
        : { ...seeOther, ...answerJson(describe(scan, 0, publicUrl)), status: 303 }
    },
  }
}

/** Creates the page of a scan: its progress while it waits or runs, then what it found. */
function createScanPage({ publicUrl }: PageDeps, scans: Pick<Scans, 'read'>): Page {
  const find = async (id = '') => {
    const found = await scans.read(id)
    if (found === undefined) {
      throw new ProblemError(404, 'no_such_scan', `No scan of the last ${KEPT_DAYS} days has this id.`)
    }
    return found
  }
  return {
    path: `${SCANS_PATH}/:id`,
    async handler({ params, accepts }) {
      const { scan, ahead } = await find(params.id)
      const options = { maxAgeSeconds: isOver(scan) ? DONE_SECONDS : 0 }
      const answer =
        accepts === 'html'
          ? answerHtml(<ScanPage scan={scan} ahead={ahead} publicUrl={publicUrl} />, options)
          : answerJson(describe(scan, ahead, publicUrl), options)
      return { ...answer, isUnlisted: true }
    },
    async events({ params }) {
      const { scan, ahead } = await find(params.id)
      return { data: { state: scan.state, ahead }, isOver: isOver(scan) }
    },
  }
}

/**
 * Reads the URL of a form; a missing scheme is https.
 * @throws ProblemError 400
 */
function readScanUrl(given: string | undefined): string {
  const refuse = (code: string, message: string) => {
    const detail = `url: ${message}.`
    return new ProblemError(400, 'bad_url', detail, { errors: [{ parameter: 'url', code, message }] })
  }
  const text = given?.trim() ?? ''
  if (text === '') throw refuse('missing', 'expected the URL of an endpoint')
  try {
    const { key } = canonicalizeUrl(text.includes('://') ? text : `https://${text}`)
    if (isTemplate(key)) throw refuse('template', 'expected a URL without placeholders')
    return key
  } catch (error) {
    if (error instanceof InvalidUrlError) throw refuse(error.code, error.message)
    throw error
  }
}

function describe(scan: ScanRecord, ahead: number, publicUrl: string) {
  const { id, endpoint, state, askedAt, finishedAt, result, failure } = scan
  const { host } = new URL(endpoint)
  return {
    id,
    url: publicUrl + scanPath(id),
    endpoint,
    state,
    ahead,
    askedAt: toTimestamp(askedAt),
    finishedAt: finishedAt === null ? null : toTimestamp(finishedAt),
    expiresAt: toTimestamp(askedAt + KEPT_DAYS * DAY),
    failure,
    result,
    profile: publicUrl + profilePath(host),
    badge: `${publicUrl}/badge/${encodeURIComponent(host)}.svg`,
  }
}
