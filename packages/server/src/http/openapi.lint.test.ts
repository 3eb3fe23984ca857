import { createConfig, lintFromString } from '@redocly/openapi-core'
import { OPERATIONS, type Operation, type OperationId } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { buildOpenApi } from './openapi.ts'

async function lint(document: object): Promise<string[]> {
  // A 303 is a success as well, which the test below knows and this rule does not.
  const rules = { 'operation-2xx-response': 'off' } as const
  const config = await createConfig({ extends: ['recommended-strict'], telemetry: 'off', rules })
  const source = JSON.stringify(document)
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`,
  )
}

test('default: passes the strict recommended rules', async () => {
  expect(await lint(buildOpenApi({ publicUrl: 'https://trust.example' }))).toEqual([])
})

test('behavior: every operation has a success', () => {
  const { paths } = buildOpenApi() as { paths: Record<string, Record<string, { responses: object }>> }
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { responses }] of Object.entries(methods))
      expect([path, method, Object.keys(responses).join()]).toEqual([
        path,
        method,
        expect.stringMatching(/2\d\d|303/),
      ])
  }
})

test('error: a broken document is reported', async () => {
  const document = buildOpenApi()
  const broken = { ...document, paths: { '/verify': { get: { responses: {} } } } }
  const found = (await lint(broken)).map((line) => line.split(':')[0])
  expect(found).toEqual(expect.arrayContaining(['operation-operationId', 'operation-summary']))
})

type Node = { readonly [key: string]: unknown }
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

type Property = { readonly schema: string; readonly path: string; readonly description: unknown }

/** Lists the properties of all named schemas, nested ones with their path. */
function listProperties(document: Node): Property[] {
  const { schemas } = document.components as { schemas: Record<string, Node> }
  const visit = (schema: string, node: unknown, path: string): Property[] => {
    if (!isNode(node)) return []
    return Object.entries(node).flatMap(([key, value]) => {
      if (key !== 'properties' || !isNode(value))
        return key === 'example' ? [] : visit(schema, value, key === 'items' ? `${path}[]` : path)
      return Object.entries(value).flatMap(([name, property]) => {
        const at = path === '' ? name : `${path}.${name}`
        return [{ schema, path: at, description: readDescription(property) }, ...visit(schema, property, at)]
      })
    })
  }
  // A reference brings the description of its schema.
  const readDescription = (property: unknown): unknown => {
    if (!isNode(property)) return undefined
    const { description, $ref } = property
    const refs = [$ref, ...(Array.isArray(property.anyOf) ? property.anyOf.map((one: Node) => one.$ref) : [])]
    const [ref] = refs.filter((one): one is string => typeof one === 'string')
    return description ?? (ref === undefined ? undefined : schemas[ref.split('/').at(-1) ?? '']?.description)
  }
  return Object.entries(schemas).flatMap(([id, node]) => visit(id, node, ''))
}

const isSentence = (text: unknown) => typeof text === 'string' && /^\S.{6,}\.$/s.test(text)
const undescribed = (document: Node) =>
  listProperties(document)
    .filter(({ description }) => !isSentence(description))
    .map(({ schema, path }) => `${schema}.${path}`)

test('behavior: every property of every schema has a description', () => {
  const document = buildOpenApi()
  expect(listProperties(document).length).toBeGreaterThan(500)
  expect(undescribed(document)).toEqual([])
})

test('error: a property without a description is reported, also deep inside', () => {
  const document = structuredClone(buildOpenApi()) as Node
  const { schemas } = document.components as {
    schemas: Record<string, { properties: Record<string, object> }>
  }
  Object.assign(schemas.TrustHistory?.properties.daily ?? {}, {
    items: { type: 'object', properties: { moon: { type: 'string' } } },
  })
  expect(undescribed(document)).toEqual(['TrustHistory.daily[].moon'])
})

type Described = {
  readonly parameters?: readonly { readonly name: string; readonly example?: unknown }[]
  readonly responses: { readonly 200: { readonly content: Record<string, { readonly example?: unknown }> } }
}

test('behavior: every operation and parameter has an example that its schema accepts', () => {
  const document = buildOpenApi()
  const paths = document.paths as Record<string, { get?: Described }>
  for (const [id, operation] of Object.entries<Operation>(OPERATIONS) as [OperationId, Operation][]) {
    const example = paths[operation.path]?.get?.responses[200].content['application/json']?.example
    const accepted = operation.response.filter((schema) => schema.safeParse(example).success)
    expect([id, accepted.length]).toEqual([id, 1])
    expect(accepted[0]?.parse(example), id).toEqual(example)
  }
  for (const { get } of Object.values(paths))
    for (const { name, example } of get?.parameters ?? [])
      expect([name, typeof example]).toEqual([name, expect.stringMatching(/string|number/)])
})
