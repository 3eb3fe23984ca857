import type { Change, Incident } from '@touchstone402/shared'
import { CHANGE_NAMES, INCIDENT_NAMES } from '../components/incidentList.tsx'
import { formatUsd } from '../format.ts'
import { incidentPath, profilePath } from '../paths.ts'
import { cleanText, showAddress } from '../text.ts'

/** An entry of a feed, independent of its format. */
export type FeedItem = {
  readonly id: string
  readonly url: string
  readonly title: string
  readonly text: string
  readonly at: string
  readonly tags: readonly string[]
}

/** A feed, independent of its format. */
export type Feed = {
  readonly title: string
  readonly description: string
  readonly homeUrl: string
  readonly items: readonly FeedItem[]
}

/** Converts an incident to an entry. A resolved incident keeps its id, so readers see an update. */
export function incidentItem(incident: Incident, publicUrl: string): FeedItem {
  const { id, kind, host, status, summary, proofUrl, detectedAt, severity } = incident
  return {
    id,
    url: `${publicUrl}${incidentPath(id)}`,
    title: `${INCIDENT_NAMES[kind]}: ${cleanText(host, 80)}${status === 'resolved' ? ' (resolved)' : ''}`,
    text: `${cleanText(summary, 600)} Proof: ${cleanText(proofUrl, 300)}`,
    at: detectedAt,
    tags: ['incident', kind, severity, status],
  }
}

/** Converts a change to an entry. */
export function changeItem(change: Change, publicUrl: string): FeedItem {
  const { id, kind, host, endpoint, at, before, after } = change
  const difference =
    before === null || after === null ? '' : ` ${showValue(kind, before)} → ${showValue(kind, after)}`
  return {
    id,
    url: `${publicUrl}${profilePath(host)}`,
    title: `${CHANGE_NAMES[kind]}: ${cleanText(host, 80)}`,
    text: `${cleanText(endpoint, 300)}:${difference === '' ? ` ${CHANGE_NAMES[kind].toLowerCase()}` : difference}`,
    at,
    tags: ['change', kind],
  }
}

/** A value of a change as pages show it: prices in dollars, addresses checksummed. */
function showValue(kind: Change['kind'], value: string): string {
  if (kind === 'price_jump') return formatUsd(Number(value))
  return cleanText(value, 200).split(' ').map(showAddress).join(', ')
}
