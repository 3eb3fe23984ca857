import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { allSellers, type Economy } from '@touchstone402/economy'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runLine, startLine, WITH_LOCAL_NAMES } from '../scripts/docs/startLine.ts'
import { runServerLine } from './docs/runServerLine.ts'
import { takeLines } from './docs/takeLines.ts'
import { startEconomy } from './support/economy.ts'
import { openDatabase } from './support/openDatabase.ts'

// Where `touchstone-server` is, as after an install.
const BIN = fileURLToPath(new URL('./node_modules/.bin', import.meta.url))
const SELLER = 'honest-v2'
const { take, left } = takeLines('operator')

let economy: Economy
let dataDir: string
let host: string
/** Operator settings that replace remote addresses of the docs with the economy's. */
let env: Record<string, string>

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'touchstone-operator-'))
  const sellers = allSellers.filter(({ id }) => id === SELLER)
  economy = await startEconomy({ sellers, clock: 'real' })
  host = economy.sellers[SELLER]?.host ?? ''
  env = {
    RPC_URLS: economy.chain.rpcUrl,
    FACILITATOR_URL: economy.facilitator.url,
    PAY_TO: economy.wallets.service.address,
    OPERATOR_NAME: 'Example Trust',
    OPERATOR_CONTACT: 'ops@trust.example',
    DIRECTORIES: `bazaar=${economy.directories.bazaarUrl}`,
    DEVELOPMENT_ALLOW_HOSTS: economy.allowedHosts.join(','),
    PORT: '0',
    LOG_INTERVAL_SECONDS: '1',
    DATA_DIR: dataDir,
    PATH: `${BIN}:${process.env.PATH}`,
    ...WITH_LOCAL_NAMES,
  }
})
afterAll(async () => {
  await economy?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const LISTENING = /listening at (http:[^,\s]+)/

/** Waits until the service has a profile of the seller. */
async function profileOf(origin: string): Promise<unknown> {
  for (;;) {
    const headers = { accept: 'application/json' }
    const response = await fetch(`${origin}/services/${encodeURIComponent(host)}`, { headers })
    if (response.status === 200) return response.json()
    await response.body?.cancel()
    await wait(200)
  }
}

test('error: without settings the service names the missing ones, and the docs set all of them', async () => {
  const [line = ''] = take(/^npm run serve$/)
  const { output } = await runLine(line)
  const missing = [...output.matchAll(/^touchstone-server: (\w+) is missing/gm)].map(([, name]) => name)
  const set = take(/^export /).map((setting) => /^export (\w+)=/.exec(setting)?.[1])
  expect(missing.length).toBeGreaterThan(0)
  expect(set).toEqual(expect.arrayContaining(missing))
})

test('default: the documented settings start a service that crawls', { timeout: 300_000 }, async () => {
  for (const line of take(/^touchstone-server doctor$/)) {
    const settings = { ...env, PUBLIC_URL: 'https://trust.example' }
    const { output } = await runServerLine(line, settings)
    expect(output).toMatch(/^ok {3}settings: all are valid$/m)
    expect(output).toMatch(/^ok {3}facilitator: /m)
  }
  // The documented lines, followed by overrides of remote addresses.
  const own = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`)
  const script = [...take(/^export /), ...own, ...take(/^npm run serve$/)].join('\n')
  const service = startLine(script)
  const [, origin = ''] = await service.said(LISTENING)
  expect(await profileOf(origin)).toMatchObject({ host })
  const verdict = await (
    await fetch(`${origin}/verify?endpoint=${encodeURIComponent(economy.sellers[SELLER]?.url ?? '')}`)
  ).json()
  expect(verdict.profile).toMatch(/^https:\/\/trust\.example\/services\//)
  const copy = join(dataDir, '..', `${basename(dataDir)}-copy`)
  for (const line of take(/^touchstone-server backup /)) {
    const { code, output } = await runServerLine(line.replace('/backups/2026-06-01.db', copy), env)
    expect([code, output]).toEqual([0, expect.stringContaining(copy)])
  }
  const [, logKey = ''] = await service.said(/log opened with key ([^\s"]+)/)
  for (const line of take(/^touchstone-server witness$/)) {
    const witness = startLine(line, {
      env: { ...env, WITNESS_LOGS: logKey, WITNESS_PORT: '0', WITNESS_DATA_DIR: `${copy}-witness` },
    })
    await witness.said(LISTENING)
    await witness.interrupt()
  }
  for (const line of take(/^touchstone-server log recompute /)) {
    const command = line
      .replace(' URL', ` ${economy.sellers[SELLER]?.url}`)
      .replace('SERVICE', origin)
      .replace(' KEY', ` '${logKey}'`)
    const { code, output } = await runServerLine(command, env)
    const nothing = command.includes(' findings ') ? 'can be recomputed' : 'logged and published yet'
    expect([command, code, output]).toEqual([command, 2, expect.stringContaining(nothing)])
  }
  expect((await service.interrupt()).output).toContain('stopping')

  for (const line of take(/^touchstone-server webhooks add /)) {
    const command = line.replace('HOST', host).replace('URL', 'https://hooks.example.com/touchstone')
    const { code, output } = await runServerLine(command, env)
    expect([code, output]).toEqual([0, expect.stringContaining('Its secret is shown this once')])
  }
  for (const line of take(/^touchstone-server log forget /)) {
    // The first entry announces a key and contains no names, so there is nothing to delete.
    const { code, output } = await runServerLine(line.replace('12', '0'), env)
    expect([code, output]).toEqual([1, expect.stringContaining('leaf 0 has no opening')])
  }
  for (const line of take(/^touchstone-server (disputes|replies) /)) {
    const { code, output } = await runServerLine(line, env)
    const expected = line.endsWith(' list')
      ? [0, line.includes('replies') ? 'There is no reply.' : 'No dispute is open.']
      : [1, `there is no ${line.includes('replies') ? 'reply' : 'dispute'} api.example.com/`]
    expect([code, output]).toEqual([expected[0], expect.stringContaining(`${expected[1]}`)])
  }
  for (const line of take(/^touchstone-server map export /)) {
    const command = line.replace('/srv/www/map', `${copy}-map`)
    const { code, output } = await runServerLine(command, env)
    expect([code, output]).toEqual([0, expect.stringMatching(/^version \d+ with \d+ entries: /m)])
  }
  const restored = { ...env, PUBLIC_URL: 'https://trust.example', DATA_DIR: `${copy}-restored` }
  await mkdir(restored.DATA_DIR)
  for (const name of ['signing-keys.json', 'log-key'])
    await copyFile(join(dataDir, name), join(restored.DATA_DIR, name))
  for (const line of take(/^touchstone-server restore \//)) {
    const command = line.replace('/backups/2026-06-01.db', copy)
    const { code, output } = await runServerLine(command, restored)
    expect([code, output]).toEqual([0, expect.stringContaining('What must not go back in time:')])
  }
  for (const line of take(/^touchstone-server restore --check$/)) {
    const { code, output } = await runServerLine(line, restored)
    expect([code, output]).toEqual([0, expect.stringMatching(/^- log: it has [1-9]\d* leaves/m)])
  }
  for (const line of take(/^touchstone-server log begin /)) {
    const { code, output } = await runServerLine(line, restored)
    expect([code, output]).toEqual([0, expect.stringContaining('trust.example/log2+')])
  }
  for (const line of take(/^touchstone-server rotate-keys$/)) {
    const { code, output } = await runServerLine(line, env)
    expect([code, output]).toEqual([0, expect.stringMatching(/[\w-]{43}/)])
  }
  const recomputed = await runServerLine(`touchstone-server recompute ${host}`, restored)
  expect([recomputed.code, recomputed.output]).toEqual([0, expect.stringContaining(`${host}: 1 of 1 equal`)])
  for (const line of take(/^touchstone-server serve --new-keys$/)) {
    await rm(join(restored.DATA_DIR, 'signing-keys.json'))
    const settings = { ...restored, PUBLIC_URL: 'https://trust.example' }
    const refused = await runServerLine('touchstone-server serve', settings)
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('--new-keys')])
    const started = startLine(line, { env: settings })
    await started.said(LISTENING)
    await started.interrupt()
  }
  for (const folder of [copy, restored.DATA_DIR, `${copy}-map`, `${copy}-witness`])
    await rm(folder, { recursive: true, force: true })

  for (const line of take(/ -- recompute HOST$/)) {
    const { code, output } = await runLine(line.replace('HOST', host), { env })
    expect([code, output]).toEqual([0, expect.stringContaining(`${host}: 1 of 1 equal`)])
  }
})

test('default: the data folder migrates to a database that several processes share', {
  timeout: 300_000,
}, async () => {
  const shared = { ...env, PUBLIC_URL: 'https://trust.example', DATABASE_URL: await openDatabase() }
  for (const line of take(/^touchstone-server migrate$/)) {
    expect(await runServerLine(line, shared)).toMatchObject({
      code: 0,
      output: expect.stringContaining('The tables are those of this version.'),
    })
  }
  for (const line of take(/^touchstone-server copy$/)) {
    expect(await runServerLine(line, shared)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^Copied .*: 1 endpoint, 1 host, /m),
    })
  }
  for (const line of take(/^touchstone-server \[serve\]/)) {
    const roles = /--role ([a-z|]+)/.exec(line)?.[1]?.split('|') ?? []
    expect(roles).toEqual(['api', 'worker', 'all'])
    expect(line).toContain('[--processes N]')
    // The test above starts it without words, which is the role `all`.
    for (const words of [...roles.map((role) => `serve --role ${role}`), 'serve --processes 2']) {
      const service = startLine(`touchstone-server ${words}`, { env: shared })
      if (words.includes('worker')) await service.said(/"working"/)
      else expect(await profileOf((await service.said(LISTENING))[1] ?? '')).toMatchObject({ host })
      await service.interrupt()
    }
  }
})

test('default: every line was run', () => {
  expect(left()).toEqual([])
})
