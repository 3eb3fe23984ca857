import { type Incident, VERDICT_LABELS, type VerdictCode } from '@touchstone402/shared'
import type { CheckRecord } from '../../checks/checkRecord.ts'
import type { Time } from '../../domain/facts/facts.ts'
import type { HostSummary } from '../../domain/facts/hostDocument.ts'
import { isOverruled } from '../../domain/publish/overruled.ts'
import { describeProfile } from '../../domain/publish/profile.ts'
import { INCIDENT_NAMES } from '../components/incidentList.tsx'
import { formatDate, plural } from '../format.ts'
import { explainRow } from '../home/services.tsx'
import { shortenAddress } from '../text.ts'
import type { Card } from './drawCard.tsx'

const ADDRESSES = /\b0x[0-9a-f]{40}\b/gi

/** Describes the verdict on a host. */
export function hostCard(summary: HostSummary, now: Time): Card {
  const profile = describeProfile(summary, now)
  const { verdict, label, host, trustScore, lastChecked, liveness, pricePerCall } = profile
  return {
    verdict,
    ...plate(verdict, trustScore),
    subject: host,
    headline: label,
    sentences: [
      explainRow(profile, summary, now),
      `${liveness} endpoints live${pricePerCall === 'unknown' ? '' : `, ${pricePerCall} per call`}`,
    ],
    asOf: lastChecked === null ? 'Not measured yet' : `As of ${formatDate(Date.parse(lastChecked))}`,
  }
}

/** Describes an incident. */
export function incidentCard({ kind, host, status, severity, summary, detectedAt }: Incident): Card {
  const isOpen = status === 'open'
  return {
    verdict: isOpen ? 'avoid' : 'unknown',
    note: isOpen ? `open, ${severity}` : 'resolved',
    subject: host,
    headline: INCIDENT_NAMES[kind],
    sentences: [summary.replace(ADDRESSES, shortenAddress)],
    asOf: `Detected ${formatDate(Date.parse(detectedAt))}`,
  }
}

/** Describes a check: its result, or that there is none. */
export function checkCard({ host, endpoint, state, askedAt, finishedAt, result }: CheckRecord): Card {
  const asOf = `Checked ${formatDate(finishedAt ?? askedAt)}`
  const subject = (endpoint ?? host).replace(/^https:\/\//, '')
  if (result === null) {
    const headline = state === 'failed' ? 'Not checked' : endpoint === null ? 'Check of a host' : 'Checking'
    return { verdict: 'unknown', note: 'no result', subject, headline, sentences: [], asOf }
  }
  const { verdict, score, checks } = result
  const failed = checks.filter(({ outcome }) => outcome === 'fail').length
  return {
    verdict,
    ...plate(verdict, failed === 0 ? score : null),
    subject,
    headline: VERDICT_LABELS[verdict],
    sentences: [failed === 0 ? 'Nothing to fix.' : `${plural(failed, 'thing')} to fix.`],
    asOf,
  }
}

/** A score on the plate of a card, unless the verdict is worse than it. */
function plate(verdict: VerdictCode, score: number | null): Pick<Card, 'figure' | 'note'> {
  const isShown = score !== null && verdict !== 'avoid' && !isOverruled(verdict, score)
  return isShown ? { figure: `${score}`, note: 'of 100' } : { note: 'no score' }
}
