import { allSellers, start } from '@touchstone402/economy'
import { expect, onTestFinished, test } from 'vitest'
import { startService } from './startService.ts'

type Server = { readonly name: string; readonly verdict: string; readonly repositoryStatus: string }

test('default: the demonstration audits a safe, a risky and a drifting MCP server, and every preview shows them', async () => {
  const economy = await start({
    sellers: allSellers.filter(({ id }) => id === 'honest-v1'),
    historyBlocks: 90,
  })
  onTestFinished(() => economy.stop())
  const rounds: string[] = []
  const log = (_level: string, message: string) => {
    if (message.startsWith('MCP servers: ')) rounds.push(message)
  }
  const service = await startService(economy, { mcp: true, log, settings: { PORT: '0' } })
  onTestFinished(() => service.stop())
  await economy.clock.caughtUp
  await expect.poll(() => rounds.length, { timeout: 60_000 }).toBeGreaterThan(2)

  const ask = async (path: string) => (await fetch(service.url + path)).json()
  const report = await ask('/mcp-report.json')
  expect(report).toMatchObject({
    current: { audited: 3, byVerdict: { safe: 1, caution: 0, avoid: 2, unknown: 0 } },
    deltas: { byKind: { script_added: 1 } },
  })
  expect(report.live.riskySample.map(({ name }: Server) => name)).toEqual([
    'io.github.acme/mail',
    'io.github.acme/notes',
  ])
  expect((await ask('/mcp/drift.json')).events).toMatchObject([
    { kind: 'script_added', package: 'acme-notes' },
  ])
  const { mcpServers, coverage } = await ask('/data.json')
  expect(coverage).toMatchObject({ services: 1, mcpServers: 3 })
  expect(mcpServers.map(({ verdict, repositoryStatus }: Server) => [verdict, repositoryStatus])).toEqual([
    ['safe', 'present'],
    ['avoid', 'present'],
    ['avoid', 'present'],
  ])
  expect((await ask('/data/sample')).mcpServer).toMatchObject({
    name: 'io.github.acme/files',
    verdict: 'safe',
  })
  expect(await ask('/mcp/verify?package=acme-mail')).toMatchObject({ package: 'acme-mail', verdict: 'avoid' })
}, 120_000)
