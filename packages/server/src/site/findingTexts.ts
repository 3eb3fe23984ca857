import { FLAG_RECORDS, isFlag } from '@touchstone402/shared'
import { FLAG_RULES } from '../judge/flags.ts'
import { STATUS_SPECS } from '../judge/spec.ts'

type FindingSpec = { readonly fix: string; readonly clears?: string }

const SPECS: Readonly<Record<string, FindingSpec | undefined>> = {
  ...FLAG_RULES,
  ...STATUS_SPECS,
}

const STATUS_NAMES: Readonly<Record<string, string>> = {
  dark: 'Went dark',
  invalid: 'Answers without valid terms',
  degraded: 'A probe failed',
  receiver_unconfirmed: 'Another receiver, not confirmed yet',
  refused: 'Refuses probes',
  score_recovering: 'Recovering from an outage',
  opted_out: 'Declines probes',
  documents_unread: 'Documents not read',
  network_unknown: 'Unknown network or form of payment',
  protocol_other: 'Another payment protocol',
}

/** The name of a finding. */
export const nameFinding = (code: string): string =>
  isFlag(code) ? FLAG_RECORDS[code].name : (STATUS_NAMES[code] ?? code.replaceAll('_', ' '))

/** Returns how a seller can fix a finding, and what ends it; undefined if there is nothing to fix. */
export const specOf = (code: string): FindingSpec | undefined => SPECS[code]
