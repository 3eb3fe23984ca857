import { OPERATIONS } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { buildOpenApi } from './openapi.ts'

// `npx vitest run openapi.test.ts -u` updates the checked-in document.
test('default', async () => {
  await expect(`${JSON.stringify(buildOpenApi(), null, 2)}\n`).toMatchFileSnapshot(
    '../../../../docs/openapi.json',
  )
})

test('behavior: lists exactly the operations of the contract, all as GET', () => {
  const { paths } = buildOpenApi() as { paths: Record<string, object> }
  expect(Object.keys(paths).sort()).toEqual(
    Object.values(OPERATIONS)
      .map(({ path }) => path)
      .sort(),
  )
  for (const path of Object.values(paths)) expect(Object.keys(path)).toEqual(['get'])
})

test('behavior: every reference resolves, and every component is used', () => {
  const document = buildOpenApi()
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
    ([, path]) => path ?? '',
  )
  for (const reference of references) {
    const target = reference
      .split('/')
      .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document)
    expect([reference, typeof target]).toEqual([reference, 'object'])
  }
  const components = document.components as Record<string, Record<string, unknown>>
  for (const [kind, entries] of Object.entries(components)) {
    for (const name of Object.keys(entries)) expect(references).toContain(`components/${kind}/${name}`)
  }
  expect(JSON.stringify(document)).not.toMatch(/"\$(id|schema)"/)
})
