import { canonicalizeUrl, InvalidUrlError, isTemplate } from '@touchstone402/shared'
import { DAY, toTimestamp } from '../../domain/facts/times.ts'
import type { Page } from '../../http/deps.ts'
import { ProblemError } from '../../http/problems.ts'
import type { Scans } from '../../scans/createScans.ts'
import type { ScanRecord } from '../../scans/scanRecord.ts'
import { answerHtml, answerJson } from '../answerHtml.tsx'
import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { isReachable } from '../hostName.ts'
import type { PageDeps } from '../pageDeps.ts'
import { profilePath, SCANS_PATH, scanPath } from '../paths.ts'
import { answerSeeOther } from '../seeOther.ts'
import { cleanText } from '../text.ts'
import { ScanForm } from './scanForm.tsx'
import { isOver, REFRESH_SECONDS, ScanPage } from './scanPage.tsx'

const KEPT_DAYS = 90
const DONE_SECONDS = 60

/** Creates the path that takes scans, and the page of each. */
export function createScanPages(deps: PageDeps, scans: Pick<Scans, 'start' | 'read'>): Page[] {
  return [createScanForm(deps, scans), createScanPage(deps, scans)]
}

/** Creates the path that takes a scan, and leads to its page. The empty form stands on the home page. */
function createScanForm(deps: PageDeps, scans: Pick<Scans, 'start'>): Page {
  const { publicUrl } = deps
  return {
    path: SCANS_PATH,
    handler: () => answerSeeOther('/'),
    async post({ fields, accepts, client }) {
      const given = fields.get('url')?.trim() ?? ''
      const read = readScanUrl(given, deps)
      if (!read.ok) {
        if (accepts === 'json') throw badUrl(read.fault)
        const page = <ScanFormPage publicUrl={publicUrl} url={given} fault={read.fault.message} />
        return answerHtml(page, { status: 400, maxAgeSeconds: 0 })
      }
      const scan = await scans.start(read.endpoint, client)
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
    hasJson: true,
    async handler({ params, accepts }) {
      const { scan, ahead } = await find(params.id)
      const options = { maxAgeSeconds: isOver(scan) ? DONE_SECONDS : 0 }
      const answer =
        accepts === 'html'
          ? answerHtml(<ScanPage scan={scan} ahead={ahead} publicUrl={publicUrl} />, options)
          : answerJson(describe(scan, ahead, publicUrl), options)
      const refresh = isOver(scan) ? {} : { refreshSeconds: REFRESH_SECONDS }
      return { ...answer, ...refresh, isUnlisted: true }
    },
  }
}

type UrlFault = { readonly code: string; readonly message: string }
type ReadUrl =
  | { readonly ok: true; readonly endpoint: string }
  | { readonly ok: false; readonly fault: UrlFault }

const refuse = (code: string, message: string): ReadUrl => ({ ok: false, fault: { code, message } })

const badUrl = ({ code, message }: UrlFault) =>
  new ProblemError(400, 'bad_url', `url: ${message.replace(/\.$/, '')}.`, {
    errors: [{ parameter: 'url', code, message }],
  })

/** Reads the URL of a form; a missing scheme is https. */
function readScanUrl(text: string, deps: Pick<PageDeps, 'developmentHosts'>): ReadUrl {
  if (text === '') return refuse('missing', 'Enter the URL.')
  try {
    const { key, host } = canonicalizeUrl(text.includes('://') ? text : `https://${text}`)
    if (isTemplate(key)) return refuse('template', 'expected a URL without placeholders')
    if (!isReachable(host, deps)) {
      return refuse('bad_host', 'expected a full host name or an IP address, such as api.example.com')
    }
    return { ok: true, endpoint: key }
  } catch (error) {
    if (error instanceof InvalidUrlError) return refuse(error.code, error.message)
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

type ScanFormPageProps = { readonly publicUrl: string; readonly url: string; readonly fault: string }

/** The form of a scan again, with what is wrong with the URL. */
function ScanFormPage({ publicUrl, url, fault }: ScanFormPageProps) {
  return (
    <Layout
      title="Scan an endpoint"
      description="A live check of one x402 endpoint: its terms, its receiver, and what to fix."
      path={SCANS_PATH}
      publicUrl={publicUrl}
      isUnlisted
    >
      <h1>Scan an endpoint</h1>
      <Panel id="scan" title="Which endpoint?">
        <ScanForm url={cleanText(url, 2048)} fault={fault} />
      </Panel>
    </Layout>
  )
}
