import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { recordId } from '../../facts/ids.ts'
import { SCORE_VERSION } from '../spec.ts'

type Case = readonly [phases: unknown, moments: readonly (readonly unknown[])[]]

/** Judgements of the recorded histories by score version: verdict, score, status, flags and risk. */
const JUDGED: Readonly<Record<string, string>> = {
  '1.3.0': 'rules_425e049fbf5d5318',
}
/** Fields of a moment: the number of probes and the time, and then what is compared. */
const COMPARED = 7

// Published verdicts name their version, and a new one judges again what others judged. A rule that changes under an
// unchanged version changes verdicts that nothing explains.
test('behavior: rules change only with the version of the score', () => {
  const { cases }: { cases: readonly Case[] } = JSON.parse(
    readFileSync(new URL('judgedHistories.json', import.meta.url), 'utf8'),
  )
  const said = cases.map(([, moments]) => moments.map((moment) => moment.slice(0, COMPARED)))
  expect(said.flat().length).toBeGreaterThan(2000)
  expect(recordId('rules', JSON.stringify(said))).toBe(JUDGED[SCORE_VERSION])
})
