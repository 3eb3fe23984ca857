import type { Reason } from '@touchstone402/shared'
import type { EndpointState } from '../../facts/hostDocument.ts'
import { specOf } from '../findingTexts.ts'
import { ownerPath } from '../paths.ts'

/** Section of the owner page that does what a fix asks for. */
export type FixSection = 'announcements' | 'disputes' | 'funding' | 'check'

/** A finding of a host, what fixes it, and where. */
export type Problem = Pick<Reason, 'code' | 'message'> & {
  /** An endpoint that has it. */
  readonly endpoint: string
  readonly fix: string
  readonly section: FixSection
}

const MAX_PROBLEMS = 12

/** Sections of the fixes that are no repair; after a repair one asks for a check. */
const SECTIONS: Readonly<Record<string, FixSection>> = {
  payto_changed: 'announcements',
  receiver_handed_over: 'announcements',
  receiver_confirmed_by_host: 'announcements',
  receiver_flickers: 'announcements',
  receiver_alternates: 'announcements',
  receiver_unconfirmed: 'announcements',
  receiver_accused_elsewhere: 'disputes',
  receiver_flagged: 'disputes',
  host_accused: 'disputes',
}

/** Section of a fix. @param isFundable the owner page has the section that funds a test purchase */
const sectionOf = (code: string, isFundable: boolean): FixSection =>
  code === 'unproven' && isFundable ? 'funding' : (SECTIONS[code] ?? 'check')

/** Field by which the owner page learns which endpoint a section is opened for. */
export const fieldOf = (section: FixSection) => (section === 'disputes' ? 'about' : 'endpoint')

/**
 * Path of the section of the owner page that does what the fix of a finding asks for.
 * @param isFundable see `sectionOf`. @default the section is one that every owner page has
 */
export function fixPath(host: string, endpoint: string, code: string, isFundable = false): string {
  const section = sectionOf(code, isFundable)
  return `${ownerPath(host, { [fieldOf(section)]: endpoint })}#${section}`
}

/** Lists what lowers the verdicts of endpoints, one of each code, with its fix. @param isFundable a test purchase can be funded */
export function listProblems(endpoints: readonly EndpointState[], isFundable: boolean): Problem[] {
  const found = new Map<string, Problem>()
  for (const { endpoint, reasons } of endpoints)
    for (const { code, message, severity } of reasons) {
      const fix = specOf(code)?.fix
      if (fix === undefined || severity === 'info' || found.has(code)) continue
      found.set(code, { code, message, endpoint, fix, section: sectionOf(code, isFundable) })
    }
  return [...found.values()].slice(0, MAX_PROBLEMS)
}
