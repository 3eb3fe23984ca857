import { OPERATIONS } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { useService } from '../support/economy.ts'
import { signFor } from '../support/sign.ts'

const FULL_PRICE = 1_000_000n

// The registry of the economy lists a safe server, one that runs a script when it is installed, and one whose release
// began to do so half-way through the audit.
const { economy, service, lines } = await useService()

type Server = { readonly name: string; readonly verdict: string; readonly repositoryStatus: string }

const rounds = () => lines.filter((line) => line.startsWith('MCP servers: '))
const ask = async (path: string) => (await fetch(service.url + path)).json()
const verdictsOf = (servers: readonly Server[]) =>
  servers.map(({ name, verdict, repositoryStatus }) => [name, verdict, repositoryStatus])

const AUDITED = [
  ['io.github.acme/files', 'safe', 'present'],
  ['io.github.acme/mail', 'avoid', 'present'],
  ['io.github.acme/notes', 'avoid', 'present'],
]

test('default: servers are audited every day, and every preview shows them', async () => {
  await expect.poll(() => rounds().length).toBeGreaterThan(2)
  expect(new Set(rounds())).toEqual(new Set(['MCP servers: 3 listed, 0 rejected, 3 audited']))
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
  expect(coverage).toMatchObject({ mcpServers: 3 })
  expect(verdictsOf(mcpServers)).toEqual(AUDITED)
  expect((await ask('/data/sample')).mcpServer).toMatchObject({
    name: 'io.github.acme/files',
    verdict: 'safe',
  })
  expect(await ask('/mcp/verify?package=acme-mail')).toMatchObject({ package: 'acme-mail', verdict: 'avoid' })
})

test('default: the full dataset costs a dollar and includes the servers, with what changed about them', async () => {
  const [bot] = economy.wallets.bots
  if (bot === undefined) throw new Error('the economy has no bot')
  const balance = () => economy.chain.usdcBalanceOf(economy.wallets.service.address)
  const before = await balance()
  const url = `${service.url}/data/full?limit=10`
  const { headers } = await signFor(url, bot, 2)
  const answer = await fetch(url, { headers })
  expect(answer.status).toBe(200)
  const body = OPERATIONS.dataFull.response[0].parse(await answer.json())
  expect((await balance()) - before).toBe(FULL_PRICE)
  const sellers = Object.keys(economy.sellers).length
  expect(body).toMatchObject({
    count: 10,
    total: body.ecosystem.live,
    mcpServerCount: 3,
    ecosystem: { tracked: sellers },
  })
  expect(verdictsOf(body.mcpServers)).toEqual(AUDITED)
  expect(body.mcpServers[1]?.reasons[0]).toMatchObject({
    code: 'new_with_install_script',
    package: 'acme-mail',
  })
  expect(body.mcpServers.map(({ drift }) => drift.map(({ code }) => code))).toEqual([
    [],
    [],
    ['script_added'],
  ])
})
