import { FLAGS, ScoreSpecSchema } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { SCORE_SPEC } from '../scoreSpec.ts'
import { buildScoringDocument } from './scoringDocument.ts'

// Update the document with `npx vitest run scoringDocument.test.ts -u`.
test('default', async () => {
  await expect(buildScoringDocument()).toMatchFileSnapshot('../../../../../docs/scoring.md')
})

test('behavior: names every flag, factor and cap of the specification', () => {
  const text = buildScoringDocument()
  for (const flag of FLAGS) expect(text).toContain(`\`${flag}\``)
  for (const { name } of SCORE_SPEC.factors) expect(text).toContain(name)
  for (const { incident, maxScore } of SCORE_SPEC.caps) expect(text).toContain(`\`${incident}\` ${maxScore}`)
  expect(text).toMatch(/"Check now" on its owner page, `\/owners\/\{host\}`/)
  expect(text).not.toMatch(/re-?check/i)
})

test('behavior: says what can be recomputed, from when, and by which command', () => {
  const [, text = ''] = /^## Recomputing a verdict\n(.*?)^## /ms.exec(buildScoringDocument()) ?? []
  expect(text).toMatch(/from the second day after its last probe\*\*: `touchstone-server log recompute URL /)
  expect(text).toMatch(/A finding, at once\*\*: `touchstone-server log recompute findings URL /)
})

test('behavior: the specification matches its published schema', () => {
  expect(ScoreSpecSchema.parse(SCORE_SPEC)).toEqual(SCORE_SPEC)
})
