import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, pg } from '@touchstone402/server/testing'
import { writeLeaf } from '@touchstone402/shared/leaves'
import {
  COSIGNATURE_TYPE,
  formatSignerKey,
  formatVerifierKey,
  verifierKeyOf,
} from '@touchstone402/transparency'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { startLine } from '../scripts/docs/startLine.ts'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'
import { BIN, startBuiltServer } from './support/builtServer.ts'
import { useMarket } from './support/market.ts'
import { openDatabase } from './support/openDatabase.ts'
import { runServerCommand } from './support/runServerCommand.ts'
import { serve } from './support/serve.ts'
import { ALONE, economySettings, otherName } from './support/settings.ts'

checksNoAnswers('the service answers nothing')

const market = useMarket()

const rpc = (method: string, params: readonly unknown[] = []) =>
  fetch(market.economy.chain.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-doctor-'))
  await writeFile(join(folder, 'list.txt'), 'https://api.example/weather\n')
  await rpc('evm_mine')
})

/** Runs the doctor with a sound configuration and the given changes. Returns its lines by name. */
async function examine(faults: Readonly<Record<string, string>> = {}) {
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const { code, output, errors } = await runServerCommand(['doctor'], {
    ...economySettings(market.economy),
    RPC_URLS: market.economy.chain.rpcUrl,
    TRUST_PROXY: '1',
    DATA_DIR: join(folder, 'data'),
    DIRECTORIES: `file=${join(folder, 'list.txt')}`,
    ...faults,
  })
  const lines = output.trimEnd().split('\n')
  const find = (name: string) => lines.find((line) => line.slice(5).startsWith(`${name}: `)) ?? ''
  return { code, lines, errors, find, failed: lines.filter((line) => line.startsWith('fail')) }
}

async function startServed(...args: Parameters<typeof serve>) {
  const server = await serve(...args)
  onTestFinished(() => server.stop())
  return server
}

const isRoomy = (line: string) => !line.includes(' disk: ')

test('default: finds nothing wrong, and changes nothing', async () => {
  const { code, lines, errors, find, failed } = await examine()
  expect([code, errors, failed]).toEqual([0, '', []])
  expect(lines.filter(isRoomy).every((line) => line.startsWith('ok   '))).toBe(true)
  expect(find('chain')).toMatch(/is on chain 8453, block \d+, \d+ s old$/)
  expect(find('facilitator')).toMatch(/refuses a payment without money \(\w+\)$/)
  expect(find('clock')).toMatch(/s (ahead of|behind) the facilitator$/)
  expect(find('directory file')).toMatch(/its first page has 1 entries$/)
  expect(find('data folder')).toMatch(/can be created in/)
  expect(await readdir(folder)).toEqual(['list.txt'])
})

test('error: settings that are missing or wrong are named', async () => {
  const { code, failed, lines } = await examine({ PAY_TO: '0x12', LOG_LEVL: 'warn' })
  expect(code).toBe(1)
  expect(failed).toEqual(['fail settings: PAY_TO must be 0x and 40 hexadecimal digits'])
  expect(lines).toContain('warn settings: LOG_LEVL is no setting; nearest: LOG_LEVEL')
  expect(lines).toHaveLength(3)
})

test('error: a wrong chain, an RPC that hangs and a head that stands still', async () => {
  const silence = createServer((socket) => void socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
  onTestFinished(() => void silence.close())
  await once(silence, 'listening')
  const { port } = silence.address() as { port: number }
  const old = await startServed(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString())
    const block = { number: '0x10', hash: `0x${'1'.repeat(64)}`, timestamp: '0x60000000' }
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'eth_chainId' ? '0x2105' : block }))
  })
  const wrong = await startServed((_, response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x89"}'))
  const urls = [wrong.url, `http://127.0.0.1:${port}/v2/SECRET`, old.url, market.economy.chain.rpcUrl]
  const { code, lines, find } = await examine({ RPC_URLS: urls.join(',') })
  expect(code).toBe(1)
  expect(find('chain 1')).toMatch(/^fail .*is on chain 137, not 8453; NETWORK is eip155:8453$/)
  expect(find('chain 2')).toMatch(/^fail .*(no answer within 10 s|did not answer before the deadline)/)
  expect(find('chain 3')).toMatch(/^fail .* s old: it is behind, or this machine's clock is ahead;/)
  expect(find('chain 4')).toMatch(/^ok /)
  expect(lines.join('\n')).not.toContain('SECRET')
}, 30_000)

test('error: a facilitator for another network, one that takes anything, one that fails, and a clock', async () => {
  const kinds = (network: string) => JSON.stringify({ kinds: [{ x402Version: 2, scheme: 'exact', network }] })
  const other = await startServed((_, response) => response.end(kinds('eip155:137')))
  const { code, find } = await examine({ FACILITATOR_URL: other.url })
  expect([code, find('facilitator')]).toEqual([
    1,
    expect.stringMatching(/^fail .*does not settle "exact" on eip155:8453/),
  ])

  const open = await startServed((request, response) => {
    response.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString())
    response.end(request.url === '/supported' ? kinds('eip155:8453') : '{"isValid":true}')
  })
  const taken = await examine({ FACILITATOR_URL: open.url })
  expect(taken.find('facilitator')).toMatch(/^fail .*calls a payment without money valid/)
  expect(taken.find('clock')).toMatch(
    /^fail clock: 360\d s ahead of the facilitator: set this machine's clock, by NTP$/,
  )

  const broken = await startServed((request, response) => {
    response.statusCode = request.url === '/supported' ? 200 : 500
    response.end(request.url === '/supported' ? kinds('eip155:8453') : '{"isValid":false}')
  })
  expect((await examine({ FACILITATOR_URL: broken.url })).find('facilitator')).toMatch(
    /^fail .*cannot verify a payment: Facilitator answered 500 \(no media type\): \{"isValid":false\}$/,
  )
  const answering = (answer: string) =>
    startServed((request, response) =>
      response.end(request.url === '/supported' ? kinds('eip155:8453') : answer),
    )
  const strict = await answering('{"isValid":false,"invalidReason":"invalid_exact_evm_signature"}')
  expect((await examine({ FACILITATOR_URL: strict.url })).find('facilitator')).toMatch(
    /^fail .*another reason than missing money \(invalid_exact_evm_signature\)/,
  )
  const silent = await answering('{"isValid":false}')
  expect((await examine({ FACILITATOR_URL: silent.url })).find('facilitator')).toMatch(
    /^warn .*make a paid call to be sure$/,
  )
  const gone = await examine({ FACILITATOR_URL: 'http://127.0.0.1:1/key/SECRET' })
  expect(gone.find('facilitator')).toMatch(
    /^fail .*FACILITATOR_URL: 127\.0\.0\.1:1 cannot be used, so paid calls are refused/,
  )
  expect(gone.lines.join('\n')).not.toContain('SECRET')
}, 60_000)

test('error: a data folder that cannot be, and keys that others can read', async () => {
  const file = join(folder, 'list.txt')
  expect((await examine({ DATA_DIR: join(file, 'data') })).find('data folder')).toMatch(
    /^fail .*is within a file: choose a folder/,
  )
  const dataDir = join(folder, 'data')
  await mkdir(dataDir)
  await chmod(dataDir, 0o755)
  await writeFile(join(dataDir, 'log-key'), await formatSignerKey('log.example', new Uint8Array(32)))
  await chmod(join(dataDir, 'log-key'), 0o644)
  await writeFile(join(dataDir, 'signing-keys.json'), '{}', { mode: 0o600 })
  const shopper = join(folder, 'shopper')
  await writeFile(shopper, `0x${'11'.repeat(32)}`, { mode: 0o640 })
  const limits = { SHOPPER_KEY_FILE: shopper, SHOPPER_PER_CALL_USD: '0.1', SHOPPER_PER_DAY_USD: '1' }
  await chmod(shopper, 0o640)
  const { code, find } = await examine(limits)
  expect(code).toBe(1)
  expect(find('data folder')).toMatch(/^warn .*the start sets its mode to 700$/)
  expect(find('log key')).toMatch(/^fail log key: LOG_KEY_FILE: .*set its mode to 600/)
  expect(find('signing key')).toMatch(/^fail .*is damaged/)
  expect(find('shopper key')).toMatch(/^fail .*chmod 600/)
  expect((await stat(dataDir)).mode & 0o777).toBe(0o755)
})

test('error: an unknown directory, a dead witness and one with another key', async () => {
  const empty = await startServed((_, response) => response.writeHead(404).end())
  const wrong = await startServed((_, response) => response.end('{"items":[1,{"resource":7}]}'))
  const keyOf = (byte: number) =>
    formatVerifierKey('w.example', new Uint8Array(32).fill(byte), COSIGNATURE_TYPE)
  const witness = await startBuiltServer(['witness'], {
    WITNESS_LOGS: await verifierKeyOf(await formatSignerKey('log.example', new Uint8Array(32).fill(7))),
    WITNESS_DATA_DIR: join(folder, 'witness'),
    WITNESS_NAME: 'w.example',
    WITNESS_PORT: '0',
  })
  const own = (await (await fetch(witness.url)).text()).split('\n')[0] ?? ''
  const witnesses = [
    `${witness.url} ${own}`,
    `http://127.0.0.1:1 ${keyOf(3)}`,
    `${otherName(witness.url)} ${keyOf(4)}`,
  ]
  const { code, lines } = await examine({
    DIRECTORIES: `bazaar=${empty.url},bazaar:gone=http://127.0.0.1:1/SECRET,bazaar:wrong=${wrong.url}`,
    LOG_WITNESSES: witnesses.join(','),
  })
  expect(code).toBe(1)
  expect(lines.find((line) => line.includes('directory bazaar:'))).toMatch(/^fail .*could not be read: 404$/)
  expect(lines.find((line) => line.includes('directory gone:'))).toMatch(/^fail .*could not be read/)
  expect(lines.find((line) => line.includes('directory wrong:'))).toMatch(
    /^fail .*it lists nothing that can be used \(entries skipped: 2\)$/,
  )
  const ofWitness = lines.filter((line) => line.includes('witness w.example:'))
  expect(ofWitness[0]).toMatch(/^ok .*answers, with its key$/)
  expect(ofWitness[1]).toMatch(/^fail .*does not answer/)
  expect(ofWitness[2]).toMatch(/^fail .*has another key, w\.example\+/)
  expect(lines.join('\n')).not.toContain('SECRET')
}, 30_000)

test('behavior: asks a database without creating anything, and says when it is not there', async () => {
  const url = await openDatabase()
  const { code, find } = await examine({ DATABASE_URL: url })
  expect([code, find('database')]).toEqual([
    0,
    expect.stringMatching(/^ok .*PostgreSQL \d+, each session its own$/),
  ])
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query(`select to_regnamespace('touchstone') as schema`)
  await client.end()
  expect(rows).toEqual([{ schema: null }])
  const store = await openStore({ databaseUrl: url, dataDir: folder })
  const key = 'trust.example/log+00000000+AAAA'
  await store.write('addLeaves', [{ ...writeLeaf({ kind: 'key', at: '', key }, null), key: `key ${key}` }])
  await store.close()
  const moved = await examine({ DATABASE_URL: url })
  expect(moved.failed).toEqual([
    expect.stringMatching(/^fail log key: LOG_KEY_FILE: .*log-key is missing, though its key is published/),
  ])
  const gone = await examine({ DATABASE_URL: 'postgres://user:SECRET@127.0.0.1:1/db' })
  expect(gone.find('database')).toMatch(/^fail .*The database is unavailable/)
  expect(gone.lines.join('\n')).not.toContain('SECRET')
}, 60_000)

const SHOPPER = { SHOPPER_KEY_FILE: '/keys/shopper', SHOPPER_PER_DAY_USD: '1', SHOPPER_PER_CALL_USD: '2' }

test.each([
  [{ PRICES: 'trust=0.0000001' }, 'PRICES "trust=0.0000001" must have at most 6 digits'],
  [{ PRICES: 'trust=1001' }, 'PRICES "trust=1001": the highest price is 1000'],
  [{ PAY_TO: `0x${'0'.repeat(40)}` }, 'PAY_TO is an address that nobody can pay from'],
  [{ RPC_URLS: 'https://a.example,https://a.example' }, 'RPC_URLS names a.example twice'],
  [SHOPPER, 'SHOPPER_PER_CALL_USD is above SHOPPER_PER_DAY_USD'],
  [{ DEVELOPMENT_ALLOW_HOSTS: 'localhost' }, 'DEVELOPMENT_ALLOW_HOSTS "localhost" must be host:port'],
  [{ PORT: '9000', METRICS_PORT: '9000' }, 'METRICS_PORT is that of the service'],
  [{ DATA_DIR: '/dev/null' }, 'data folder: DATA_DIR /dev/null is a file'],
  [{ DATA_DIR: '/proc/touchstone' }, 'data folder: DATA_DIR /proc/touchstone is on a file system'],
  [{ LOG_KEY_FILE: '/proc/touchstone/key' }, 'log key: LOG_KEY_FILE: /proc/touchstone/key cannot be created'],
  [{ SIGNING_KEY_FILE: '/dev' }, 'signing key: SIGNING_KEY_FILE: /dev is a folder'],
])('error: the start refuses what the doctor fails: %j', async (faults, sentence) => {
  const { code, failed } = await examine(faults)
  expect(code).toBe(1)
  expect(failed.map((line) => line.slice('fail '.length).replace(/^settings: /, ''))).toContainEqual(
    expect.stringContaining(sentence),
  )
  const started = await runServerCommand(['serve'], {
    ...ALONE,
    DATA_DIR: join(folder, 'data'),
    ...faults,
  })
  expect(started).toMatchObject({
    code: 1,
    errors: expect.stringContaining(`touchstone-server: ${sentence}`),
  })
  expect(await readdir(folder)).toEqual(['list.txt'])
})

test('behavior: the start says what the doctor warns of, and goes on', async () => {
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const line = startLine(`ulimit -n 512; exec '${process.execPath}' '${BIN}'`, {
    env: {
      ...ALONE,
      DATA_DIR: join(folder, 'data'),
      LOG_LEVL: 'warn',
      DEVELOPMENT_ALLOW_HOSTS: '127.0.0.1:1',
    },
  })
  onTestFinished(async () => void (await line.interrupt('SIGKILL')))
  await line.said(/listening at/)
  for (const warning of [
    'TRUST_PROXY is 0, but PUBLIC_URL is https',
    'LOG_LEVL is no setting',
    'DEVELOPMENT_ALLOW_HOSTS is for development, but PUBLIC_URL is https',
    'open files: this process may open 512 files (ulimit -n)',
  ])
    expect(line.output()).toContain(warning)
})
