import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { POLICY_DOCS } from '../testing/policyDocs.ts'
import { PolicySchema, parsePolicy } from './policySchema.ts'

const docs: Record<string, string> = POLICY_DOCS

function createJsonSchema() {
  const { properties = {}, ...schema } = z.toJSONSchema(PolicySchema, { io: 'input' })
  const described = Object.entries(properties).map(([name, property]) => [
    name,
    typeof property === 'object' && docs[name] !== undefined
      ? { description: docs[name], ...property }
      : property,
  ])
  return { ...schema, title: 'Policy of the Touchstone guard', properties: Object.fromEntries(described) }
}

test('behavior: publishes the JSON Schema that is enforced', async () => {
  const published = await readFile(new URL('../../policy.schema.json', import.meta.url), 'utf8')
  expect(JSON.parse(published)).toEqual(createJsonSchema())
})

test('behavior: documents every field and default in the README', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const rows = Object.entries(parsePolicy()).map(
    ([name, value]) => `| \`${name}\` | \`${JSON.stringify(value)}\` | ${docs[name]} |`,
  )
  expect(readme).toContain(['| field | default | meaning |', '|---|---|---|', ...rows].join('\n'))
})
