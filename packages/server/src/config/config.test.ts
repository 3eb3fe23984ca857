import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { readLogConfig, readWitnessSettings } from './logSettings.ts'
import { readStorageConfig } from './storageSettings.ts'

const required = {
  PUBLIC_URL: 'https://trust.example',
  RPC_URLS: 'http://127.0.0.1:8545, https://rpc.example/key',
  FACILITATOR_URL: 'http://127.0.0.1:4020',
  PAY_TO: `0x${'11'.repeat(20)}`,
  OPERATOR_NAME: 'Example Trust',
  OPERATOR_CONTACT: 'ops@trust.example',
  DIRECTORIES: 'file=/dev/null',
}
const token = (n: number) => `0x${n.toString(16).padStart(40, 'A')}`
const read = (WARM_TOKENS?: string) => readConfig({ ...required, ...(WARM_TOKENS && { WARM_TOKENS }) })

test('default: reads every RPC URL and no warm tokens', () => {
  expect(read()).toMatchObject({
    ok: true,
    config: { warmTokens: [], rpcUrls: ['http://127.0.0.1:8545', 'https://rpc.example/key'] },
  })
})

test('behavior: lists each warm token once, in lower case', () => {
  expect(read(`${token(1)}, ${token(2)},${token(1).toLowerCase()},`)).toMatchObject({
    ok: true,
    config: { warmTokens: [token(1).toLowerCase(), token(2).toLowerCase()] },
  })
})

test('error: refuses warm tokens that are not addresses, or too many of them', () => {
  const many = Array.from({ length: 51 }, (_, i) => token(i)).join(',')
  for (const [text, problem] of [
    ['usdc', 'WARM_TOKENS must be addresses of tokens, comma-separated'],
    [`${token(1)},0x12`, 'WARM_TOKENS must be addresses of tokens, comma-separated'],
    [many, 'WARM_TOKENS must be at most 50 tokens'],
  ] as const)
    expect(read(text)).toMatchObject({ ok: false, problems: expect.arrayContaining([problem]) })
})

test('default: five tokens of Base have a page, none on another network, and none if the setting says so', () => {
  const pages = (settings: Record<string, string>) => {
    const read = readConfig({ ...required, ...settings })
    return read.ok ? read.config.tokenPages : read.problems
  }
  expect(pages({})).toHaveLength(5)
  expect(pages({})).toContain('0x833589fcd6edb6e08f4c7c32d4f71b54bda02913')
  expect(pages({ TOKEN_PAGES: '' })).toEqual(pages({}))
  expect(pages({ NETWORK: 'eip155:84532' })).toEqual([])
  expect(pages({ TOKEN_PAGES: 'none' })).toEqual([])
  expect(pages({ TOKEN_PAGES: `${token(1)}, ${token(1).toLowerCase()},` })).toEqual([token(1).toLowerCase()])
  expect(pages({ TOKEN_PAGES: 'usdc' })).toEqual([
    'TOKEN_PAGES must be addresses of tokens, comma-separated, or none',
  ])
  const many = Array.from({ length: 51 }, (_, i) => token(i)).join(',')
  expect(pages({ TOKEN_PAGES: many })).toEqual(['TOKEN_PAGES must be at most 50 tokens'])
})

test('default: asks the sanctions oracle on Base, or the configured contract', () => {
  const sanctionsOracle = token(3).toLowerCase()
  expect(read()).toMatchObject({
    config: { sanctionsOracle: '0x3A91A31cB3dC49b4db9Ce721F50a9D076c8D739B' },
  })
  expect(readConfig({ ...required, SANCTIONS_ORACLE: sanctionsOracle })).toMatchObject({
    config: { sanctionsOracle },
  })
  expect(readConfig({ ...required, SANCTIONS_ORACLE: 'none' })).toMatchObject({
    ok: false,
    problems: ['SANCTIONS_ORACLE must be 0x and 40 hexadecimal digits'],
  })
})

test('default: parses directories with a kind, an optional name and a location', () => {
  const DIRECTORIES = 'bazaar=https://bazaar.example, file:ours=/etc/urls.txt'
  expect(readConfig({ ...required, DIRECTORIES })).toMatchObject({
    ok: true,
    config: {
      directories: [
        { kind: 'bazaar', name: 'bazaar', location: 'https://bazaar.example' },
        { kind: 'file', name: 'ours', location: '/etc/urls.txt' },
      ],
    },
  })
})

test('error: refuses directories of an unknown kind or without a URL', () => {
  for (const item of ['bazaar=bazaar.example', 'list=https://x.example', 'https://x.example'])
    expect(readConfig({ ...required, DIRECTORIES: item })).toEqual({
      ok: false,
      problems: [`DIRECTORIES "${item}" must be bazaar=URL, 402index=URL, x402-list=URL or file=PATH`],
    })
})

test('error: refuses logins in URLs that are fetched without them, and does not repeat them', () => {
  const problem = 'must hold no user name or password: they would not be sent'
  const FACILITATOR_URL = 'https://me:S3CRET@facilitator.example'
  const DIRECTORIES = 'bazaar=https://S3CRET@bazaar.example'
  expect(readConfig({ ...required, FACILITATOR_URL, DIRECTORIES })).toEqual({
    ok: false,
    problems: [`FACILITATOR_URL ${problem}`, `DIRECTORIES bazaar: its URL ${problem}`],
  })
  const RPC_URLS = 'https://me:S3CRET@rpc.example'
  expect(readConfig({ ...required, RPC_URLS })).toMatchObject({ ok: true, config: { rpcUrls: [RPC_URLS] } })
})

test('rule 7: no directory can pass for what hosts themselves declare', () => {
  const problem = 'must not name a directory "host", which is what hosts themselves declare'
  const DIRECTORIES = 'bazaar:host=https://bazaar.example'
  expect(readConfig({ ...required, DIRECTORIES })).toEqual({
    ok: false,
    problems: [`DIRECTORIES ${problem}`],
  })
})

test('behavior: normalises the public URL to an origin', () => {
  for (const PUBLIC_URL of ['https://trust.example', 'https://TRUST.example:443/'])
    expect(readConfig({ ...required, PUBLIC_URL })).toMatchObject({
      ok: true,
      config: { publicUrl: 'https://trust.example' },
    })
})

test('error: refuses a public URL that is more than an origin', () => {
  for (const PUBLIC_URL of [
    'https://trust.example/x402',
    'https://trust.example?a',
    'https://a:b@trust.example',
  ])
    expect(readConfig({ ...required, PUBLIC_URL })).toEqual({
      ok: false,
      problems: [
        expect.stringMatching(/^PUBLIC_URL must be an origin such as https:\/\/trust\.example, without/),
      ],
    })
})

test('behavior: settlements are confirmed by price, always before or always after delivery', () => {
  const confirm = (CONFIRM_SETTLEMENTS?: string) =>
    readConfig({ ...required, ...(CONFIRM_SETTLEMENTS && { CONFIRM_SETTLEMENTS }) })
  expect(confirm()).toMatchObject({ config: { confirmSettlements: null } })
  expect(confirm('before')).toMatchObject({ config: { confirmSettlements: 'before' } })
  expect(confirm('after')).toMatchObject({ config: { confirmSettlements: 'after' } })
  expect(confirm('never')).toEqual({
    ok: false,
    problems: ['CONFIRM_SETTLEMENTS must be before or after'],
  })
})

test('default: bounds the cache of answers by the default, or by the setting', () => {
  const MB = 1024 * 1024
  expect(read()).toMatchObject({ config: { answerCacheBytes: 192 * MB } })
  expect(readConfig({ ...required, ANSWER_CACHE_MB: '8' })).toMatchObject({
    config: { answerCacheBytes: 8 * MB },
  })
})

test('error: refuses a cache that is no size, too small or too large', () => {
  for (const size of ['7', '65537', '64MB', '-1', '1.5'])
    expect(readConfig({ ...required, ANSWER_CACHE_MB: size })).toEqual({
      ok: false,
      problems: [expect.stringMatching(/^ANSWER_CACHE_MB must be (a whole number )?from 8 to 65536$/)],
    })
})

test('error: refuses an address with a wrong checksum, which a slip of the hand makes', () => {
  const payTo = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  const problems = ['PAY_TO has a wrong checksum: copy it again, or write it in lower case']
  expect(readConfig({ ...required, PAY_TO: payTo.replace('C8', 'c8') })).toEqual({ ok: false, problems })
  expect(readConfig({ ...required, PAY_TO: payTo.toLowerCase() }).ok).toBe(true)
})

test('behavior: an empty setting is one that is not set; a required one gets one line', () => {
  const empty = { METRICS_PORT: '', DATABASE_URL: '', LOG_LEVEL: '', SHOPPER_KEY_FILE: '' }
  expect(readConfig({ ...required, ...empty })).toEqual(readConfig(required))
  expect(readConfig({ ...required, PAY_TO: '' })).toEqual({
    ok: false,
    problems: ['PAY_TO is empty: the address that is paid'],
  })
})

const readMcp = (settings: Record<string, string>) => {
  const read = readConfig({ ...required, ...settings })
  return read.ok ? read.config.mcp : read.problems.join('\n')
}

test('behavior: commands and the witness take an empty setting for one that is not set too', () => {
  const empty = { DATABASE_URL: '', SIGNING_KEY_FILE: '', DATA_DIR: '', LOG_ORIGIN: '', LOG_WITNESSES: '' }
  expect(readStorageConfig(empty)).toEqual(readStorageConfig({}))
  expect(readLogConfig(empty)).toEqual(readLogConfig({}))
  expect(() => readWitnessSettings({ WITNESS_LOGS: '', WITNESS_NAME: '' })).toThrow(/^WITNESS_LOGS is empty/)
})

test('error: refuses a list of commas alone', () => {
  expect(readConfig({ ...required, RPC_URLS: ' ,' })).toEqual({
    ok: false,
    problems: ['RPC_URLS is empty: JSON-RPC URLs of the chain, comma-separated'],
  })
})

test('error: refuses headers that no request could have, without their values', () => {
  const read = readConfig({ ...required, FACILITATOR_HEADERS: 'authorization: Bearer S3CRET\rx-key: 1' })
  expect(read).toEqual({
    ok: false,
    problems: ['FACILITATOR_HEADERS has a name or value that a header cannot have'],
  })
})

test('default: audits no MCP servers without directories', () => {
  expect(readMcp({})).toBeNull()
  expect(readMcp({ MCP_DIRECTORIES: ' , ', NPM_REGISTRY: 'https://registry.example' })).toBeNull()
})

test('behavior: parses directories of MCP servers with a kind, an optional name and a location', () => {
  expect(
    readMcp({ MCP_DIRECTORIES: 'registry=https://registry.example, file:ours=/etc/servers.txt' }),
  ).toEqual({
    directories: [
      { kind: 'registry', name: 'mcp-registry', location: 'https://registry.example' },
      { kind: 'file', name: 'ours', location: '/etc/servers.txt' },
    ],
  })
})

test('behavior: the npm registry is known without directories', () => {
  const npm = (settings: Record<string, string>) => readConfig({ ...required, ...settings })
  expect(npm({})).toMatchObject({ config: { npm: { registry: null, downloadsUrl: null } } })
  expect(npm({ NPM_REGISTRY: 'https://npm.example' })).toMatchObject({
    config: { npm: { registry: 'https://npm.example', downloadsUrl: null } },
  })
})

test.each([
  [{ MCP_DIRECTORIES: 'registry=file:///etc/passwd' }, 'must be registry=URL or file=PATH'],
  [{ MCP_DIRECTORIES: 'bazaar=https://x.example' }, 'must be registry=URL or file=PATH'],
  [{ NPM_REGISTRY: 'ftp://x.example' }, 'must be an http or https URL'],
])('error: refuses %j', (settings, message) => {
  expect(readMcp(settings)).toContain(message)
})
