import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Incident, Verdict } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { useService } from '../support/economy.ts'

const run = promisify(execFile)
const { economy, service } = await useService()

/** Expected recipe output and number of commands, by bad seller. */
const SHOWN: Readonly<
  Record<string, { readonly commands: number; readonly shows: (said: string[]) => void }>
> = {
  swapped: { commands: 1, shows: ([said]) => expect(said).toContain(seller('swapped').receiver) },
  'price-bait': {
    commands: 2,
    shows: ([own, asked]) => {
      expect(own).toContain('"price":"$0.01"')
      expect(asked).toContain('"amount":"50000"')
    },
  },
  'never-paid': { commands: 1, shows: ([said]) => expect(said).toContain(seller('never-paid').receiver) },
  testnet: { commands: 1, shows: ([said]) => expect(said).toContain('eip155:84532') },
  'fake-asset': { commands: 1, shows: ([said]) => expect(said).toMatch(/"asset":"0x/) },
  overpriced: { commands: 1, shows: ([said]) => expect(said).toContain('"amount":"2500000"') },
  'no-terms': { commands: 1, shows: ([said]) => expect(said).not.toContain('"payTo"') },
  cloaker: { commands: 2, shows: (said) => expect(new Set(said.map(receiverIn)).size).toBe(2) },
  'per-request': { commands: 2, shows: (said) => expect(new Set(said.map(receiverIn)).size).toBe(2) },
}

const seller = (id: string) => {
  const handle = economy.sellers[id]
  if (handle === undefined) throw new Error(`no such seller: ${id}`)
  return handle
}
const receiverIn = (said: string) => /"payTo":"(0x[0-9a-fA-F]{40})"/.exec(said)?.[1]
const read = async (path: string) =>
  (await fetch(service.url + path, { headers: { accept: 'text/html' } })).text()

/** Returns the commands of the recipe on a page, a line each. */
function commandsOn(html: string): string[] {
  const [, code = ''] = /<div class="recipe">.*?<code>(.*?)<\/code>/s.exec(html) ?? []
  const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
  return code
    .replace(/&(lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity)
    .replaceAll('&amp;', '&')
    .split('\n')
}

test.each(Object.entries(SHOWN))(
  'default: the recipe on the profile of %s shows its finding',
  async (id, { commands, shows }) => {
    const lines = commandsOn(await read(`/services/${encodeURIComponent(seller(id).host)}`))
    expect(lines).toHaveLength(commands)
    const said: string[] = []
    for (const line of lines) said.push((await run('sh', ['-c', line], { timeout: 30_000 })).stdout)
    shows(said)
  },
)

// The recipe of a payment without a delivery pays, so that no test runs it as it stands.
const PAYS = 'honeypot'

test('default: the recipe on an incident is that of its kind', async () => {
  const { incidents } = (await (await fetch(`${service.url}/incidents.json`)).json()) as {
    incidents: Incident[]
  }
  expect(incidents.length).toBeGreaterThanOrEqual(3)
  for (const { id, endpoint } of incidents.filter(({ kind }) => kind !== PAYS)) {
    const lines = commandsOn(await read(`/incidents/${id}`))
    const [last = ''] = lines.slice(-1)
    const { stdout } = await run('sh', ['-c', last], { timeout: 30_000 })
    const verdict = (await (
      await fetch(`${service.url}/verify?endpoint=${encodeURIComponent(endpoint)}`)
    ).json()) as Verdict
    expect(stdout).toMatch(/^HTTP\/1\.1 402/)
    expect(stdout).toContain(verdict.terms[0]?.payTo)
  }
})
