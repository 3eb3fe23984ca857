import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { readPolicyDocs } from '../testing/policyDocs.ts'
import { createPolicyJsonSchema } from '../testing/policyJsonSchema.ts'
import type { Field, Fields } from './fields.ts'
import { POLICY_FIELDS } from './policySchema.ts'

const docs = readPolicyDocs()
/** Sections of docs/policy.md that say more about a field. */
const SECTIONS: Readonly<Record<string, string>> = {
  hosts: '[Limits of one host](#limits-of-one-host)',
  onUnknown: '[Without a full verdict](#without-a-full-verdict)',
  newSeller: '[New sellers](#new-sellers)',
}

/** Lists the fields of the policy by their paths. */
function listFields(fields: Fields, path = ''): [path: string, field: Field][] {
  return Object.entries(fields).flatMap(([name, field]): [string, Field][] => [
    [`${path}${name}`, field],
    ...(field.kind === 'object' ? listFields(field.fields, `${path}${name}.`) : []),
  ])
}

// To update the file, write what a failure expects and format it.
test('behavior: publishes the JSON Schema that is enforced', async () => {
  const published = await readFile(new URL('../../policy.schema.json', import.meta.url), 'utf8')
  expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(createPolicyJsonSchema())))
})

// To update the table, copy the expected text of a failure.
test('behavior: documents every field, its default and its range in docs/policy.md', async () => {
  const page = await readFile(new URL('../../../../docs/policy.md', import.meta.url), 'utf8')
  const rows = listFields(POLICY_FIELDS.fields).map(([path, field]) => {
    const value = field.kind === 'object' ? '' : `\`${JSON.stringify(field.default)}\``
    const range = field.kind === 'count' ? ` From ${field.from} to ${field.to}.` : ''
    const more = SECTIONS[path] === undefined ? '' : ` See ${SECTIONS[path]}.`
    return `| \`${path}\` | ${value} | ${docs.get(path)?.meaning}${range}${more} |`
  })
  expect(page).toContain(['| field | default | meaning |', '|---|---|---|', ...rows].join('\n'))
})

test('behavior: the comment of every field names its default', () => {
  for (const [path, field] of listFields(POLICY_FIELDS.fields)) {
    const stated = field.kind === 'object' ? undefined : JSON.stringify(field.default)
    expect([path, docs.get(path)]).toEqual([path, { meaning: expect.stringMatching(/\.$/), default: stated }])
  }
})
