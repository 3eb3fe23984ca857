import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../../testing/listen.ts'
import { NO_STREAMS } from '../../testing/noStreams.ts'
import { deliver, HONEST, startSeller, type TestSeller, THIEF } from '../../testing/seller.ts'
import { startService, type TestService, termOf } from '../../testing/service.ts'
import type { Io } from './io.ts'
import { COMMANDS, run } from './run.ts'

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

const cli = (line: string, env: Record<string, string> = {}) => cliOf(line.split(' ').filter(Boolean), env)

async function cliOf(words: string[], env: Record<string, string> = {}, change: Partial<Io> = {}) {
  const out: string[] = []
  const err: string[] = []
  const written: Uint8Array[] = []
  const code = await run(words, {
    ...NO_STREAMS,
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    write: async (bytes) => void written.push(bytes),
    env: { TOUCHSTONE_URL: service.url, TOUCHSTONE_LEDGER: ledgerOfTest, ...env },
    fetch,
    ...change,
  })
  return { code, out: out.join('\n') || Buffer.concat(written).toString(), err: err.join('\n') }
}

const at = (name: string) => join(directory, name)

async function policyFile(name: string, policy: object): Promise<string> {
  await writeFile(at(name), JSON.stringify(policy))
  return at(name)
}

describe('touchstone check', () => {
  test.each([
    ['safe', 0, 'Safe to pay, score 95, risk clean'],
    ['caution', 1, 'Caution, risk clean'],
    ['avoid', 2, 'Avoid, risk clean'],
    ['unknown', 3, 'Unknown'],
  ])('default: exits for a %s verdict with code %i', async (verdict, code, text) => {
    know({ verdict })
    const result = await cli(`check ${url}?secret`)
    expect(result).toMatchObject({ code, err: '' })
    expect(result.out).toContain(text)
  })

  test('behavior: exits for risk high as for avoid, whatever the verdict says', async () => {
    know({ verdict: 'unknown', riskLevel: 'high', flags: ['payto_changed'] })
    expect(await cli(`check ${url}`)).toMatchObject({ code: 2, out: expect.stringContaining('risk high') })
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
    expect(await cli(`log follow`, { TOUCHSTONE_URL: '' })).toMatchObject({
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
    expect([code, JSON.parse(out).code]).toEqual([1, 'RECEIVER_NOT_CHECKED'])
    expect(seller.payments).toEqual([])
  })

  test.each([
    ['400', 0, 0],
    ['440', 0, 64],
    ['460', 64, 64],
    ['444', 64, 64],
  ])(
    'behavior: takes a credential of systemd, which may have an access list: mode %s',
    async (mode, inside, elsewhere) => {
      const folder = at(mode)
      await mkdir(folder)
      await writeFile(join(folder, 'key'), KEY)
      await chmod(join(folder, 'key'), Number.parseInt(mode, 8))
      const env = { PRIVATE_KEY_FILE: join(folder, 'key') }
      const codes = [
        (await cli(`pay ${url}`, { ...env, CREDENTIALS_DIRECTORY: folder })).code,
        (await cli(`pay ${url}`, { ...env, CREDENTIALS_DIRECTORY: at('other') })).code,
      ]
      expect(codes).toEqual([inside, elsewhere])
    },
  )

  test('error: rejects invalid or readable keys without printing them', async () => {
    await writeFile(at('key'), KEY)
    await chmod(at('key'), 0o644)
    expect((await cli(`pay ${url}`, { PRIVATE_KEY_FILE: at('key') })).err).toContain('set its mode to 600')
    await chmod(at('key'), 0o600)
    expect((await cli(`pay ${url}`, { PRIVATE_KEY_FILE: at('key') })).code).toBe(0)
    expect(await cli(`pay ${url}`, { PRIVATE_KEY: 'hunter2' })).toEqual({
      code: 64,
      out: '',
      err: 'The guard is not configured correctly. PRIVATE_KEY: expected 64 hexadecimal digits, with or without 0x, got 7 characters',
    })
    expect((await cli(`pay ${url}`)).err).toContain('PRIVATE_KEY: expected 64')
    expect((await cli(`pay ${url} --private-key ${KEY}`)).code).toBe(64)
  })
})

describe('touchstone without a service', () => {
  const alone = { TOUCHSTONE_URL: '' }

  test('default: check runs the local checks and says what the policy would do', async () => {
    expect(await cli(`check ${url}`, alone)).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(
        /^No service: checked on this machine[\s\S]*\d+ things? to fix: http[\s\S]*The policy pays \$0\.01 to 0x/,
      ),
    })
    const policy = await policyFile('cheap.json', { maxPerPaymentUsd: '0.001' })
    const { code, out } = await cli(`check ${url} --policy ${policy} --json`, alone)
    expect([code, JSON.parse(out)]).toMatchObject([
      1,
      { endpoint: url, state: 'local', ok: true, policy: { pays: false, code: 'OVER_PAYMENT_LIMIT' } },
    ])
    seller.character = { terms: [{ maxTimeoutSeconds: 86_400 }] }
    expect((await cli(`check ${url}`, alone)).out).toContain(
      'The policy does not pay it (AUTHORIZATION_TOO_LONG)',
    )
    expect(seller.payments).toEqual([])
  })

  test('default: check of a dead host names the cause, and of a free page that nothing is asked', async () => {
    const dead = await listen(() => {})
    await dead.stop()
    expect(await cli(`check ${dead.url}`, alone)).toMatchObject({
      code: 3,
      out: expect.stringMatching(/ECONNREFUSED \S+\n/),
    })
    seller.character = { before: (_, response) => Boolean(response.end('free')) }
    expect((await cli(`check ${url}`, alone)).out).toContain('It asks for no payment.')
  })

  test('default: pay needs nothing but an account', async () => {
    expect(await cli(`pay ${url}`, { ...alone, PRIVATE_KEY: KEY })).toMatchObject({
      code: 0,
      out: '{"weather":"sunny"}',
    })
  })
})

describe('the default ledger', () => {
  const spent = 'Last 24 hours: $0.01 spent'

  test('default: pay and budget find it by the key, budget also if it is the only one', async () => {
    const home = { HOME: at('home'), TOUCHSTONE_LEDGER: '' }
    expect(await cli('budget', home)).toMatchObject({
      code: 64,
      err: expect.stringContaining('there is none yet'),
    })
    await cli(`pay ${url}`, { ...home, PRIVATE_KEY: KEY })
    expect((await cli('budget', { ...home, PRIVATE_KEY: KEY })).out).toContain(spent)
    expect((await cli('budget', home)).out).toContain(spent)
    await cli(`pay ${url}`, { ...home, PRIVATE_KEY: `${KEY.slice(0, -1)}1` })
    expect((await cli('stop', home)).err).toMatch(
      /there are several:(\n {2}\S+\/0x[0-9a-f]{40}\/spending.jsonl){2}$/,
    )
  })

  test('error: pay goes on in memory with a warning, and stop does not claim to have stopped anything', async () => {
    await writeFile(at('no-home'), '')
    const env = { HOME: at('no-home'), TOUCHSTONE_LEDGER: '', PRIVATE_KEY: KEY }
    expect(await cli(`pay ${url}`, env)).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^The spending of this account is kept in memory/),
    })
    expect((await cli('stop', env)).code).toBe(64)
  })
})

describe('a ledger that is none', () => {
  test('error: every command that opens it refuses it, with the path and the reason', async () => {
    const notes = at('notes.md')
    await writeFile(notes, '# Notes\n', { mode: 0o600 })
    const verified = await cli(`ledger verify ${notes} --json`)
    expect([verified.code, JSON.parse(verified.out)]).toMatchObject([
      1,
      { ok: false, brokenIn: notes, brokenAt: 1, reason: 'not a ledger' },
    ])
    const commands = ['budget', 'pins', 'strikes', `pay ${url}`].map((name) => `${name} --ledger ${notes}`)
    for (const line of [...commands, `ledger compact ${notes}`, `ledger receipts ${notes}`]) {
      const { code, err } = await cli(line, { PRIVATE_KEY: KEY })
      expect([code, err]).toEqual([64, expect.stringContaining(notes)])
      expect(err).toContain('not a ledger')
    }
    expect((await cli('ledger verify /etc/passwd')).code).toBe(1)
    await symlink(ledgerOfTest, at('link.jsonl'))
    expect(await cli(`ledger verify ${at('link.jsonl')}`)).toMatchObject({
      code: 64,
      err: expect.stringContaining('is a symbolic link'),
    })
    expect(seller.payments).toEqual([])
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
  expect(usage).toHaveLength(COMMANDS.length)
  for (const line of usage) {
    const name = /guard ([a-z]+( [a-z]+)?)(?= [[<-])/.exec(line)?.[1]
    const { code, out } = await cli(`${name} --help`)
    expect(code).toBe(0)
    expect(out).toMatch(/\n {2}(\S+=\S+ )?npx @touchstone402\/guard /)
    expect(out).toContain('JSON: ')
  }
})

test.each(['budget extra', 'check http://x --header a:b', 'stop --resume=1', 'pins --clear'])(
  'error: %s is refused, since a command takes what its usage names',
  async (line) => {
    const { code, err } = await cli(line)
    expect([code, err.length > 0]).toEqual([64, true])
  },
)

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
      paid: true,
      state: 'settled',
      remaining: null,
      dayRemainingUsd: '4.99',
      content: '{"weather":"sunny"}',
      isCut: false,
    })
    const { out } = await cli('budget')
    expect(out).toContain('Last 24 hours: $0.01 spent of $5.00, $4.99 left, next reset ')
    expect(out).toContain(`Host ${new URL(url).host}: $0.01 spent of $1.00, $0.99 left`)
    expect(out).toContain('One payment: at most $1.00\n')
    expect(out).toContain('Without a full verdict, last 24 hours: $0.00 spent of $0.50')
    expect(JSON.parse((await cli('budget --json')).out)).toMatchObject({
      isStopped: false,
      newSellerPerCallUsd: null,
      day: { limitUsd: '5', spentUsd: '0.01', remainingUsd: '4.99' },
      total: { limitUsd: null, remainingUsd: null },
    })
  })

  test('default: --max-usd limits the call', async () => {
    expect(await cli(`pay ${url} --max-usd 0.001`, key)).toMatchObject({
      code: 1,
      err: [
        `Refused (OVER_CALL_LIMIT): The price exceeds the limit of this call. $0.01 for one call to ${new URL(url).host}; the limit is $0.001. Nothing was signed.`,
        `Offered: $0.01 on Base to ${HONEST}`,
        'Limit: $0.001, $0.001 left',
        'What to do: Raise maxUsd of the call, or use a cheaper seller.',
        'To allow it: maxUsd "0.01" of the call',
        `Profile: ${service.url}/services/${encodeURIComponent(new URL(url).host)}`,
      ].join('\n'),
    })
    expect(JSON.parse((await cli(`pay ${url} --max-usd 0.001 --json`, key)).out)).toMatchObject({
      code: 'OVER_CALL_LIMIT',
      remedy: 'Raise maxUsd of the call, or use a cheaper seller.',
      limit: '0.001',
      remaining: '0.001',
      flags: [],
      profileUrl: expect.stringContaining('/services/'),
      paid: false,
      state: 'none',
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
    })
  })

  test('behavior: a refusal by the rate of payments counts payments', async () => {
    const policy = await policyFile('rate.json', { velocity: { perHostPerMinute: 1 } })
    await cli(`pay ${url} --policy ${policy}`, key)
    expect((await cli(`pay ${url} --policy ${policy}`, key)).err).toMatch(
      /\nLimit: 1 payments in a minute, 0 left, next reset 2\S+Z\n/,
    )
  })

  test('behavior: names a payment that got no good answer, and a repeat sends it again', async () => {
    seller.character = { onPaid: (_, response) => void response.socket?.destroy() }
    const { code, err } = await cli(`pay ${url}`, key)
    expect(code).toBe(2)
    expect(err).toMatch(
      /^Failed \(NO_ANSWER\): .* The payment of \$0\.01 to \S+ was sent, .* the connection was lost\.\nPayment: \S+\nWhat to do: Retry/,
    )
    seller.character = { onPaid: (_, response) => void response.writeHead(500).end('oops') }
    expect(await cli(`pay ${url}`, key)).toMatchObject({
      code: 2,
      out: 'oops',
      err: expect.stringMatching(
        /^The endpoint answered with status 500\.\nPaid \$0\.01, settlement not confirmed/,
      ),
    })
    seller.character = {}
    expect(await cli(`pay ${url}`, key)).toMatchObject({ code: 0, out: '{"weather":"sunny"}' })
    expect([new Set(seller.payments).size, seller.payments.length]).toEqual([1, 3])
  })

  test('behavior: names the cause if nothing was reached, and the status of a free answer', async () => {
    const dead = await listen(() => {})
    await dead.stop()
    expect(await cli(`pay ${dead.url}`, key)).toMatchObject({
      code: 1,
      out: '',
      err: 'Failed (ECONNREFUSED): The endpoint could not be reached: the connection was refused.\nNothing was paid.\nWhat to do: Check the host and the port of the address.',
    })
    expect(JSON.parse((await cli(`pay http://no-such-host.invalid/ --json`, key)).out)).toMatchObject({
      paid: false,
      code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/),
      reason: expect.stringContaining('its name does not resolve'),
    })
    seller.character = { before: (_, response) => Boolean(response.writeHead(500).end('oops')) }
    expect(await cli(`pay ${url}`, key)).toMatchObject({
      code: 1,
      err: 'The endpoint answered with status 500.\nNothing was paid.',
    })
  })

  test('behavior: prints the bytes of an answer whole, and nothing else', async () => {
    const bytes = Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7) % 256))
    for (const body of [bytes, Buffer.alloc(2 * 1024 * 1024, 'x'), Buffer.from('\ufefftext', 'utf16le')]) {
      seller.character = { onPaid: (_, response) => deliver(response, body) }
      const written: Uint8Array[] = []
      const write = async (part: Uint8Array) => void written.push(part)
      const { code, out } = await cliOf(['pay', url], key, { write })
      expect([code, out, Buffer.compare(Buffer.concat(written), body)]).toEqual([0, '', 0])
    }
  })

  test('behavior: on a terminal the last line ends', async () => {
    const printed: string[] = []
    const change = {
      isTerminal: true,
      out: (line: string) => printed.push(`${line}\n`),
      write: async (bytes: Uint8Array) => void printed.push(String(Buffer.from(bytes))),
    }
    await cliOf(['pay', url], key, change)
    expect(printed.join('')).toBe('{"weather":"sunny"}\n')
    seller.character = { onPaid: (_, response) => response.destroy() }
    printed.length = 0
    await cliOf(['pay', `${url}?other`], key, change)
    expect(printed).toEqual([])
  })

  test('behavior: says so if the output is closed before the end', async () => {
    const write = () => Promise.reject(new Error('EPIPE'))
    const { code, err } = await cliOf(['pay', url], key, { write })
    expect(code).toBe(2)
    expect(err).toContain('The answer was cut: the output was closed.\n')
  })

  test('behavior: --json has bytes as base64, text by its charset, and says when it is cut', async () => {
    const json = async () => JSON.parse((await cli(`pay ${url} --json`, key)).out)
    const png = Buffer.from('89504e470d0a1a0aff00', 'hex')
    seller.character = {
      onPaid: (_, response) => deliver(response.setHeader('content-type', 'image/png'), png),
    }
    const image = { contentType: 'image/png', encoding: 'base64', content: png.toString('base64') }
    expect(await json()).toMatchObject({ ...image, isCut: false })
    seller.character = {
      onPaid: (_, response) =>
        deliver(
          response.setHeader('content-type', 'text/plain; charset=iso-8859-1'),
          Buffer.from('größer', 'latin1'),
        ),
    }
    expect(await json()).toMatchObject({ contentType: 'text/plain', encoding: null, content: 'größer' })
    seller.character = { onPaid: (_, response) => deliver(response, 'x'.repeat(1024 * 1024 + 1)) }
    const cut = await json()
    expect(cut.content).toHaveLength(1024 * 1024)
    expect(cut).toMatchObject({
      isCut: true,
      reason: 'The answer was cut: more than 1048576 bytes.',
      remedy: 'Leave out --json: then the whole answer is printed.',
    })
  })

  test('behavior: --data takes files and the standard input as curl does', async () => {
    const seen: [string | undefined, string][] = []
    seller.character = {
      before(request, response) {
        const chunks: Buffer[] = []
        request.on('data', (chunk) => chunks.push(chunk))
        request.on('end', () => {
          seen.push([request.headers['content-type'], Buffer.concat(chunks).toString('latin1')])
          response.end('ok')
        })
        return true
      },
    }
    const file = at('body.json')
    await writeFile(file, Buffer.from('\xef\xbb\xbf{"a":\r\n"\xfc\xc3\xbc\0"}\n', 'latin1'))
    const lines = at('lines.txt')
    await writeFile(lines, 'a=1\nb=2\n')
    const read = async () => Buffer.from('{"from":\n"stdin"}\n')
    const pay = (...words: string[]) => cliOf(['pay', url, ...words], key, { read })
    const form = 'application/x-www-form-urlencoded'
    const sent = async (...words: string[]) => {
      expect((await pay(...words)).code).toBe(0)
      return seen.pop()
    }
    const bom = '\xef\xbb\xbf'
    expect(await sent('--data', `@${file}`)).toEqual(['application/json', `${bom}{"a":"\xfc\xc3\xbc"}`])
    expect(await sent('--data', `@${lines}`)).toEqual([form, 'a=1b=2'])
    expect(await sent('--data-binary', `@${lines}`)).toEqual([form, 'a=1\nb=2\n'])
    expect(await sent('--data', '@-')).toEqual(['application/json', '{"from":"stdin"}'])
    expect(await sent('--data-binary', '@-')).toEqual(['application/json', '{"from":\n"stdin"}\n'])
    expect(await sent('--data-binary', 'a\nb')).toEqual([form, 'a\nb'])
    const charset = 'text/plain; charset=iso-8859-1'
    expect(await sent('--data-binary', `@${lines}`, '--header', `Content-Type: ${charset}`)).toEqual([
      charset,
      'a=1\nb=2\n',
    ])
    expect(await pay('--data', `@${at('none.json')}`)).toMatchObject({
      code: 64,
      err: `--data: cannot read ${at('none.json')} (ENOENT).`,
    })
    expect(await pay('--data-binary', '@')).toMatchObject({ code: 64 })
    expect(await pay('--data', 'a', '--data-binary', 'b')).toMatchObject({ code: 64 })
  })

  test('error: mcp --files needs a folder', async () => {
    const path = at('no-folder')
    await writeFile(path, '')
    const { code, err } = await cliOf(['mcp', '--files', path], key)
    expect([code, err]).toEqual([64, `--files: cannot open the folder ${path} (EEXIST).`])
  })

  test('behavior: sends the bytes of a header as curl does', async () => {
    let seen: string | undefined
    seller.character = {
      before({ headers }, response) {
        seen = Buffer.from(String(headers['x-name']), 'latin1').toString()
        return Boolean(response.end('ok'))
      },
    }
    expect((await cliOf(['pay', url, '--header', 'X-Name: Ü 日'], key)).code).toBe(0)
    expect(seen).toBe('Ü 日')
  })

  test.each([
    [
      ['--data', '{"a": 1}'],
      ['POST', 'application/json', '{"a": 1}'],
    ],
    [
      ['--data', 'a=1'],
      ['POST', 'application/x-www-form-urlencoded', 'a=1'],
    ],
    [
      ['--method', 'put', '--data', '[]', '--header', 'Content-Type:text/plain', '--header', 'X-Key: a: b '],
      ['PUT', 'text/plain', '[]', 'a: b'],
    ],
  ])('behavior: sends %j as curl does', async (words, [method, type, body, key]) => {
    const seen: unknown[] = []
    seller.character = {
      before(request, response) {
        const { 'content-type': contentType, 'x-key': given } = request.headers
        request.on('data', (chunk) => seen.push(request.method, contentType, String(chunk), given))
        request.on('end', () => response.end('ok'))
        return true
      },
    }
    expect((await cliOf(['pay', url, ...words], { PRIVATE_KEY: KEY })).code).toBe(0)
    expect(seen).toEqual([method, type, body, key])
  })

  test('error: refuses a header that has no value, without repeating it', async () => {
    const { code, err } = await cliOf(['pay', url, '--header', 'secret'], key)
    expect([code, err]).toEqual([64, "--header: expected 'Name: value'"])
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
