import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { buildOpenApi } from './openapi.ts'

async function lint(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'], telemetry: 'off' })
  const source = JSON.stringify(document)
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`,
  )
}

test('default: passes the strict recommended rules', async () => {
  expect(await lint(buildOpenApi({ publicUrl: 'https://trust.example' }))).toEqual([])
})

test('error: a broken document is reported', async () => {
  const document = buildOpenApi()
  const broken = { ...document, paths: { '/verify': { get: { responses: {} } } } }
  const found = (await lint(broken)).map((line) => line.split(':')[0])
  expect(found).toEqual(expect.arrayContaining(['operation-operationId', 'operation-summary']))
})
