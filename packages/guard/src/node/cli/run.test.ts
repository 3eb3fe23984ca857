import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { HONEST, startSeller, type TestSeller, THIEF } from '../../testing/seller.ts'
import { startService, type TestService, termOf } from '../../testing/service.ts'
import { run } from './run.ts'

const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
let service: TestService
let seller: TestSeller
let directory: string
let url: string

beforeAll(async () => {
  service = await startService()
  seller = await startSeller()
  directory = await mkdtemp(join(tmpdir(), 'cli-'))
  url = `${seller.url}/weather`
})
afterAll(async () => {
  await service.stop()
  await seller.stop()
  await rm(directory, { recursive: true })
})
beforeEach(() => {
  know({})
  seller.character = {}
  seller.payments.length = 0
})

function know(change: object): void {
  const terms = [termOf(HONEST, '10000')]
  service.decisions.set(url, {
    verdict: 'safe',
    score: 95,
    riskLevel: 'clean',
    receiverStability: 'stable',
    probes: 9,
    terms,
    ...change,
  })
}

async function cli(line: string, env: Record<string, string> = {}) {
  const out: string[] = []
  const err: string[] = []
  const code = await run(line.split(' ').filter(Boolean), {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    env: { TOUCHSTONE_URL: service.url, ...env },
    fetch,
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

const at = (name: string) => join(directory, name)

async function policyFile(name: string, policy: object): Promise<string> {
  await writeFile(at(name), JSON.stringify(policy))
  return at(name)
}

describe('touchstone check', () => {
  test.each([
    ['safe', 0, 'Safe to pay, score 95, risk clean'],
    ['caution', 1, 'Caution (evidence 95), risk clean'],
    ['avoid', 2, 'Avoid (evidence 95), risk clean'],
    ['unknown', 3, 'Unknown'],
  ])('default: exits for a %s verdict with code %i', async (verdict, code, text) => {
    know({ verdict })
    const result = await cli(`check ${url}?secret`)
    expect(result).toMatchObject({ code, err: '' })
    expect(result.out).toContain(text)
  })

  test('behavior: prints the signed verdict with --json', async () => {
    expect(JSON.parse((await cli(`check ${url} --json`)).out)).toMatchObject({ verdict: { verdict: 'safe' } })
  })

  test('error: reports an unreachable service as unavailable', async () => {
    expect(await cli(`check ${url} --service http://127.0.0.1:9`)).toMatchObject({
      code: 3,
      out: 'Unavailable: The service did not answer.',
    })
  })

  test('error: rejects invalid command lines', async () => {
    expect((await cli('check')).code).toBe(64)
    expect((await cli('check ftp://x')).err).toContain('expected the scheme http or https')
    expect((await cli(`check ${url} --nonsense`)).code).toBe(64)
    expect((await cli('nonsense')).err).toContain('touchstone check <url>')
  })
})

describe('touchstone pay', () => {
  test('default: pays, prints the response and writes a valid ledger', async () => {
    const ledger = at('pay.jsonl')
    const paid = await cli(`pay ${url} --ledger ${ledger}`, { PRIVATE_KEY: KEY })
    expect(paid).toEqual({ code: 0, out: '{"weather":"sunny"}', err: '' })
    expect(seller.payments).toHaveLength(1)
    expect((await cli(`ledger verify ${ledger}`)).out).toContain('by 1 writers; none missing.')
    const text = await readFile(ledger, 'utf8')
    expect(text).not.toContain(KEY.slice(2))
    await writeFile(ledger, text.replace('"amountAtomic":"10000"', '"amountAtomic":"1"'))
    expect((await cli(`ledger verify ${ledger}`)).code).toBe(1)
  })

  test('behavior: keeps the budget across runs', async () => {
    const ledger = at('budget.jsonl')
    const policy = await policyFile('budget.json', { maxTotalUsd: '0.01' })
    const line = `pay ${url} --ledger ${ledger} --policy ${policy}`
    expect((await cli(line, { PRIVATE_KEY: KEY })).code).toBe(0)
    expect(await cli(line, { PRIVATE_KEY: KEY })).toMatchObject({
      code: 1,
      err: expect.stringContaining('OVER_TOTAL_LIMIT'),
    })
    expect(seller.payments).toHaveLength(1)
  })

  test('error: prints a refusal as text and as JSON', async () => {
    seller.character = { terms: [{ payTo: THIEF }] }
    expect((await cli(`pay ${url}`, { PRIVATE_KEY: KEY })).err).toContain('Refused (RECEIVER_NOT_CHECKED)')
    const { code, out } = await cli(`pay ${url} --json`, { PRIVATE_KEY: KEY })
    expect([code, JSON.parse(out).refused]).toEqual([1, 'RECEIVER_NOT_CHECKED'])
    expect(seller.payments).toEqual([])
  })

  test('error: rejects invalid or readable keys without printing them', async () => {
    await writeFile(at('key'), KEY)
    await chmod(at('key'), 0o644)
    expect((await cli(`pay ${url}`, { PRIVATE_KEY_FILE: at('key') })).err).toContain('set its mode to 600')
    await chmod(at('key'), 0o600)
    expect((await cli(`pay ${url}`, { PRIVATE_KEY_FILE: at('key') })).code).toBe(0)
    expect(await cli(`pay ${url}`, { PRIVATE_KEY: 'hunter2' })).toEqual({
      code: 64,
      out: '',
      err: 'The private key is not 64 hexadecimal digits.',
    })
    expect((await cli(`pay ${url}`)).err).toContain('Missing key: set PRIVATE_KEY')
    expect((await cli(`pay ${url} --private-key ${KEY}`)).code).toBe(64)
  })
})

describe('touchstone policy', () => {
  test('default: explains the default policy', async () => {
    expect((await cli('policy explain')).out).toMatchInlineSnapshot(`
      "Pays at most $1.00 per payment, and $1.00 to one host and $5.00 in total in any 24 hours.
      Has no lifetime limit.
      Pays USDC on Base.
      Refuses endpoints whose verdict is avoid.
      Asks before it pays an endpoint whose verdict is caution; no answer refuses the payment.
      Pays endpoints with little or no evidence up to $0.01, and up to $0.10 after a live check.
      Pays such endpoints without a live check at most $0.10 for one domain and $0.50 in total in any 24 hours.
      While the service is unreachable, uses unexpired signed verdicts and refuses all other payments.
      Signs no authorization that is valid for more than 600 seconds.
      Pays over https, and over plain http on this machine only.
      Refuses a changed receiver unless the verdict calls the new one stable.
      Stops paying an endpoint for 86400 seconds after 1 paid call without delivery.
      Makes at most 30 payments to a host and 20 for the same call in a minute."
    `)
  })

  test('behavior: replays a ledger under another policy', async () => {
    const ledger = at('replay.jsonl')
    for (let index = 0; index < 3; index++) await cli(`pay ${url} --ledger ${ledger}`, { PRIVATE_KEY: KEY })
    seller.character = { terms: [{ payTo: THIEF }] }
    await cli(`pay ${url} --ledger ${ledger}`, { PRIVATE_KEY: KEY })
    const policy = await policyFile('stricter.json', { maxTotalUsd: '0.02' })
    const { out } = await cli(`policy replay --policy ${policy} ${ledger} --json`)
    expect(JSON.parse(out)).toMatchObject({
      payments: 3,
      blocked: [{ endpoint: url, amountUsd: '0.01', code: 'OVER_TOTAL_LIMIT' }],
      allowed: [],
      savedUsd: '0.01',
    })
    expect((await cli(`policy replay --policy ${policy} ${ledger}`)).out).toContain('$0.01 saved')
  })

  test('error: names the invalid field of a policy', async () => {
    const policy = await policyFile('wrong.json', { maxPerDayUsd: 5 })
    expect(await cli(`policy explain --policy ${policy}`)).toMatchObject({
      code: 64,
      err: expect.stringContaining('policy.maxPerDayUsd'),
    })
  })
})

test('behavior: prints help with an example for every command', async () => {
  expect((await cli('--help')).code).toBe(0)
  for (const name of ['check', 'pay', 'mcp', 'policy explain', 'policy replay', 'ledger verify']) {
    const { code, out } = await cli(`${name} --help`)
    expect(code).toBe(0)
    expect(out).toMatch(/\n {2}(\S+=\S+ )?touchstone /)
  }
})
