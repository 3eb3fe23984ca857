import { OPERATIONS } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { buildOpenApi } from './openapi.ts'
import { FILES, FORMS, PAGES, segmentsOf } from './paths.ts'

// `npx vitest run openapi.test.ts -u` updates the checked-in document.
test('default', async () => {
  await expect(`${JSON.stringify(buildOpenApi(), null, 2)}\n`).toMatchFileSnapshot(
    '../../../../docs/openapi.json',
  )
})

test('behavior: lists exactly the operations of the contract, the files and the other paths as GET, and the forms as POST', () => {
  const { paths } = buildOpenApi() as { paths: Record<string, object> }
  const operations = Object.values(OPERATIONS).map(({ path }) => path)
  const others = [...Object.keys(FILES), ...Object.keys(PAGES)]
  const by = (method: string) => Object.keys(paths).filter((path) => method in (paths[path] ?? {}))
  expect(by('get').sort()).toEqual([...operations, ...others].sort())
  expect(by('post').sort()).toEqual(Object.keys(FORMS).sort())
  for (const path of Object.values(paths))
    expect(Object.keys(path).filter((method) => !/^(get|post)$/.test(method))).toEqual([])
})

test('behavior: every parameter of a path is described, and its example fits', () => {
  const paths: Readonly<Record<string, { readonly example?: string | object }>> = {
    ...PAGES,
    ...FILES,
    ...FORMS,
  }
  for (const [path, { example }] of Object.entries(paths)) {
    for (const segment of segmentsOf(path, typeof example === 'string' ? example : undefined)) {
      expect([path, segment.description]).not.toEqual([path, ''])
      expect([path, segment.example]).toEqual([path, expect.stringMatching(segment.pattern ?? /./)])
    }
  }
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
