import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deliver, HONEST, startSeller, type TestSeller, THIEF } from '../../testing/seller.ts'
import { startService, type TestService, termOf } from '../../testing/service.ts'
import { run } from './run.ts'

const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
let service: TestService
let seller: TestSeller
let directory: string
let url: string
let ledgerOfTest: string
let tests = 0

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
  ledgerOfTest = at(`test-${++tests}/spending.jsonl`)
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
    env: { TOUCHSTONE_URL: service.url, TOUCHSTONE_LEDGER: ledgerOfTest, ...env },
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
      out: 'Unavailable: The service at http://127.0.0.1:9 did not answer.',
    })
  })

  test('error: rejects invalid command lines', async () => {
    expect((await cli('check')).code).toBe(64)
    expect((await cli('check ftp://x')).err).toContain('expected the scheme http or https')
    expect((await cli(`check ${url} --nonsense`)).code).toBe(64)
    expect((await cli('nonsense')).err).toContain('npx @touchstone402/guard check <url>')
    expect(await cli(`check ${url}`, { TOUCHSTONE_URL: '' })).toMatchObject({
      code: 64,
      err: expect.stringContaining('Missing service'),
    })
  })

  test('behavior: says whether an unknown endpoint was ever measured', async () => {
    know({ verdict: 'unknown', terms: [] })
    expect((await cli(`check ${url}`)).out).toContain('\n- It was never measured.\n')
    know({ verdict: 'unknown', checkedAt: '2026-01-02T03:04:05.000Z' })
    expect((await cli(`check ${url}`)).out).toContain(
      '\n- It has too little recent evidence; last measured 2026-01-02T03:04:05.000Z.\n',
    )
  })

  test('behavior: prints equal terms once, and methods other than GET', async () => {
    const get = termOf(HONEST, '10000')
    know({ terms: [get, { ...get, x402Version: 1 }, { ...get, method: 'POST' }] })
    const lines = (await cli(`check ${url}`)).out.split('\n').filter((line) => line.startsWith('Checked'))
    expect(lines).toEqual([
      `Checked terms: up to $0.01 in USDC on Base to ${HONEST}`,
      `Checked terms: POST, up to $0.01 in USDC on Base to ${HONEST}`,
    ])
    expect(JSON.parse((await cli(`check ${url} --json`)).out).terms).toHaveLength(3)
  })
})

describe('touchstone pay', () => {
  test('default: pays, prints the response and writes a valid ledger', async () => {
    const ledger = at('pay.jsonl')
    const paid = await cli(`pay ${url} --ledger ${ledger}`, { PRIVATE_KEY: KEY })
    const transaction = `0x${'ab'.repeat(32)}`
    expect(paid).toEqual({
      code: 0,
      out: '{"weather":"sunny"}',
      err: `Paid $0.01, transaction ${transaction}; $4.99 left of the daily budget.`,
    })
    expect(seller.payments).toHaveLength(1)
    expect((await cli(`ledger verify ${ledger}`)).out).toContain('by 1 writers; none missing.')
    expect((await cli(`ledger receipts ${ledger}`)).out).toBe('No receipts.')
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
      Without a service, pays a new seller at most $0.10 for one call and $0.50 for one domain, and all new sellers $1.00, in any 24 hours, until it has delivered 3 calls.
      Asks before it pays more than 3 times what was usual at an endpoint.
      While the service is unreachable, uses unexpired signed verdicts and refuses all other payments.
      Signs no authorization that is valid for more than 600 seconds.
      Pays over https, and over plain http on this machine only.
      Refuses a changed receiver unless the verdict calls the new one stable; asks without a service.
      Stops paying an endpoint for minutes, then hours, and at most 86400 seconds after 1 paid call without delivery.
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
  const usage = (await cli('--help')).out.split('\n').filter((line) => line.includes('['))
  expect(usage).toHaveLength(19)
  for (const line of usage) {
    const name = /guard ([a-z]+( [a-z]+)?)(?= [[<-])/.exec(line)?.[1]
    const { code, out } = await cli(`${name} --help`)
    expect(code).toBe(0)
    expect(out).toMatch(/\n {2}(\S+=\S+ )?npx @touchstone402\/guard /)
    expect(out).toContain('JSON: ')
  }
})

describe('a command line without a command', () => {
  test.each([
    ['chek http://x', 'chek', 'check'],
    ['polcy explain', 'polcy', 'policy'],
    ['map chek', 'map chek', 'map check'],
    ['ledger verfy --json', 'ledger verfy', 'ledger verify'],
  ])('error: %s names the nearest command, before the usage', async (line, given, nearest) => {
    const { code, out, err } = await cli(line)
    expect({ code, out }).toEqual({ code: 64, out: '' })
    expect(err).toMatch(new RegExp(`^Unknown command "${given}"; nearest: ${nearest}\n\nUsage:\n`))
  })

  test('behavior: a group lists its own commands only', async () => {
    const names = (text: string) => [...text.matchAll(/guard ([a-z]+ [a-z]+)/g)].map(([, name]) => name)
    const group = ['map pull', 'map check', 'map info']
    const alone = await cli('map')
    expect([alone.code, names(alone.err)]).toEqual([64, group])
    const help = await cli('map --help')
    expect([help.code, help.err, names(help.out)]).toEqual([0, '', group])
    expect(help.out).toMatch(/^Usage:\n/)
  })
})

test('default: prints its version', async () => {
  expect(await cli('--version')).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+/) })
  expect(JSON.parse((await cli('--version --json')).out)).toEqual({ version: expect.any(String) })
})

describe('spending from the command line', () => {
  const key = { PRIVATE_KEY: KEY }

  test('default: pay keeps a ledger without being told, and budget reads it', async () => {
    const paid = JSON.parse((await cli(`pay ${url} --json`, key)).out)
    expect(paid).toMatchObject({
      status: 200,
      amountUsd: '0.01',
      transaction: `0x${'ab'.repeat(32)}`,
      remainingTodayUsd: '4.99',
      truncated: false,
    })
    const { out } = await cli('budget')
    expect(out).toContain('Last 24 hours: $0.01 spent of $5, $4.99 left, next reset ')
    expect(out).toContain(`Host ${new URL(url).host}: $0.01 spent of $1, $0.99 left`)
    expect(JSON.parse((await cli('budget --json')).out)).toMatchObject({
      isStopped: false,
      day: { limitUsd: '5', spentUsd: '0.01', remainingUsd: '4.99' },
      total: { limitUsd: null, remainingUsd: null },
    })
  })

  test('default: --max-usd limits the call', async () => {
    expect(await cli(`pay ${url} --max-usd 0.001`, key)).toMatchObject({
      code: 1,
      err: [
        `Refused (OVER_CALL_LIMIT): The price exceeds the limit of this call. $0.01 for one call to ${new URL(url).host}; the limit is $0.001 (maxUsd of the call). Nothing was signed.`,
        `Offered: $0.01 on Base to ${HONEST}`,
        'Limit: $0.001, $0.001 left',
        'What to do: Raise maxUsd of the call, or use a cheaper seller.',
        `Profile: ${service.url}/services/${encodeURIComponent(new URL(url).host)}`,
      ].join('\n'),
    })
    expect(JSON.parse((await cli(`pay ${url} --max-usd 0.001 --json`, key)).out)).toMatchObject({
      refused: 'OVER_CALL_LIMIT',
      remedy: 'Raise maxUsd of the call, or use a cheaper seller.',
      limit: '0.001',
      remaining: '0.001',
      flags: [],
      profileUrl: expect.stringContaining('/services/'),
      moneyMayHaveLeft: false,
      amountUsd: null,
    })
    expect(seller.payments).toEqual([])
  })

  test('behavior: a refusal puts the flags of the verdict in words', async () => {
    know({ verdict: 'avoid', riskLevel: 'high', flags: ['no_delivery'] })
    const { err } = await cli(`pay ${url}`, key)
    expect(err).toContain('Refused (VERDICT_AVOID)')
    expect(err).toContain('\n- It was paid and delivered nothing. (no_delivery)\n')
    expect(JSON.parse((await cli(`pay ${url} --json`, key)).out)).toMatchObject({
      flags: ['no_delivery'],
      limit: null,
      remaining: null,
    })
  })

  test('behavior: a refusal by the rate of payments counts payments', async () => {
    const policy = await policyFile('rate.json', { velocity: { perHostPerMinute: 1 } })
    await cli(`pay ${url} --policy ${policy}`, key)
    expect((await cli(`pay ${url} --policy ${policy}`, key)).err).toMatch(
      /\nLimit: 1 payments in a minute, 0 left, next reset 2\S+Z\n/,
    )
  })

  test('behavior: a refusal says when a signed payment may have been collected', async () => {
    seller.character = { onPaid: (_, response) => void response.writeHead(302, { location: '/' }).end() }
    const { err } = await cli(`pay ${url}`, key)
    expect(err).toContain('\nA signed payment may have been collected.\n')
    const again = await cli(`pay ${url} --json --ledger ${at('collected.jsonl')}`, key)
    expect(JSON.parse(again.out)).toMatchObject({ moneyMayHaveLeft: true, amountUsd: '0.01' })
  })

  test('behavior: says so when a body is cut', async () => {
    seller.character = { onPaid: (_, response) => deliver(response, 'x'.repeat(1024 * 1024 + 1)) }
    const { out, err } = await cli(`pay ${url}`, key)
    expect(out).toHaveLength(1024 * 1024)
    expect(err).toContain('The body was cut: only the first 1048576 characters are shown.')
    expect(JSON.parse((await cli(`pay ${url} --json`, key)).out)).toMatchObject({ truncated: true })
  })

  test('behavior: a free answer says that nothing was paid', async () => {
    seller.character = {
      before(_, response) {
        response.end('free')
        return true
      },
    }
    expect(await cli(`pay ${url}`, key)).toEqual({ code: 0, out: 'free', err: 'Nothing was paid.' })
  })

  test('default: stop and stop --resume', async () => {
    expect((await cli('stop')).code).toBe(0)
    expect((await cli(`pay ${url}`, key)).err).toContain('STOPPED')
    expect((await cli('budget')).out).toContain('Payments are stopped.')
    expect(JSON.parse((await cli('stop --resume --json')).out)).toEqual({ isStopped: false })
    expect((await cli(`pay ${url}`, key)).code).toBe(0)
  })

  test('default: strikes and pins are listed and cleared', async () => {
    seller.character = { onPaid: (_, response) => void response.writeHead(302, { location: '/' }).end() }
    await cli(`pay ${url}`, key)
    const { host } = new URL(url)
    expect((await cli('strikes')).out).toContain(`${url}: 1 without delivery`)
    expect((await cli('pins')).out).toContain(`${url}: ${HONEST} on eip155:8453`)
    expect((await cli('strikes --clear http://x')).code).toBe(64)
    expect(JSON.parse((await cli(`strikes --clear ${host} --json`)).out)).toEqual({
      cleared: host,
      strikes: [],
    })
    expect((await cli(`pins --clear ${host}`)).out).toBe('No pins.')
  })
})

test('behavior: check shows dollars and says why an endpoint is to be avoided', async () => {
  know({ verdict: 'avoid', riskLevel: 'high', flags: ['payto_changed', 'not_yet_known'] })
  const { out } = await cli(`check ${url}`)
  expect(out).toContain('- Its receiver changed. (payto_changed)')
  expect(out).toContain(`Checked terms: up to $0.01 in USDC on Base to ${HONEST}`)
  expect(JSON.parse((await cli(`check ${url} --json`)).out)).toMatchObject({
    endpoint: url,
    why: ['Its receiver changed. (payto_changed)', expect.any(String)],
    terms: [{ maxUsd: '0.01' }],
  })
})
