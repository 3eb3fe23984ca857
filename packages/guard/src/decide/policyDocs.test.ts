import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { POLICY_DOCS } from '../testing/policyDocs.ts'
import { createPolicyJsonSchema } from '../testing/policyJsonSchema.ts'
import { parsePolicy } from './policySchema.ts'

const docs: Record<string, string> = POLICY_DOCS

test('behavior: publishes the JSON Schema that is enforced', async () => {
  const published = await readFile(new URL('../../policy.schema.json', import.meta.url), 'utf8')
  expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(createPolicyJsonSchema())))
})

test('behavior: documents every field and default in docs/policy.md', async () => {
  const page = await readFile(new URL('../../../../docs/policy.md', import.meta.url), 'utf8')
  const rows = Object.entries(parsePolicy()).map(
    ([name, value]) => `| \`${name}\` | \`${JSON.stringify(value)}\` | ${docs[name]} |`,
  )
  expect(page).toContain(['| field | default | meaning |', '|---|---|---|', ...rows].join('\n'))
})
