import { VERDICT_LABELS, type VerdictCode } from '@touchstone402/shared'

/** All verdicts, best first. */
export const VERDICT_CODES = Object.keys(VERDICT_LABELS) as VerdictCode[]

/** Part of the list of services that a page shows. */
export type ListView = {
  readonly verdict: VerdictCode | undefined
  /** From 1. */
  readonly page: number
}

/** Parses a list view from query parameters. Invalid values are ignored. */
export function readListView(verdict: string | undefined, page: string | undefined): ListView {
  return {
    verdict: VERDICT_CODES.find((code) => code === verdict),
    page: page !== undefined && /^[1-9][0-9]{0,5}$/.test(page) ? Number(page) : 1,
  }
}
