import type { Change, Incident } from '@touchstone402/shared'
import { CHANGE_NAMES, INCIDENT_NAMES, profilePath } from '../components/incidentList.tsx'
import { cleanText } from '../text.ts'

/** One entry of a feed, in either format. */
export type FeedItem = {
  readonly id: string
  readonly url: string
  readonly title: string
  readonly text: string
  readonly at: string
  readonly tags: readonly string[]
}

/** A feed before it is written down. */
export type Feed = {
  readonly title: string
  readonly description: string
  readonly homeUrl: string
  readonly items: readonly FeedItem[]
}

/** An incident as an entry; its resolution does not make it a new one. */
export function incidentItem(incident: Incident, publicUrl: string): FeedItem {
  const { id, kind, host, status, summary, proofUrl, detectedAt, severity } = incident
  return {
    id,
    url: `${publicUrl}${profilePath(host)}`,
    title: `${INCIDENT_NAMES[kind]}: ${cleanText(host, 80)}${status === 'resolved' ? ' (resolved)' : ''}`,
    text: `${cleanText(summary, 600)} Proof: ${cleanText(proofUrl, 300)}`,
    at: detectedAt,
    tags: ['incident', kind, severity, status],
  }
}

/** A change as an entry. */
export function changeItem(change: Change, publicUrl: string): FeedItem {
  const { id, kind, host, endpoint, at, before, after } = change
  const difference =
    before === null || after === null ? '' : ` ${cleanText(before, 200)} → ${cleanText(after, 200)}`
  return {
    id,
    url: `${publicUrl}${profilePath(host)}`,
    title: `${CHANGE_NAMES[kind]}: ${cleanText(host, 80)}`,
    text: `${cleanText(endpoint, 300)}:${difference === '' ? ` ${CHANGE_NAMES[kind].toLowerCase()}` : difference}`,
    at,
    tags: ['change', kind],
  }
}
