import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSeller } from '@touchstone402/guard/testing'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from '../scripts/docs/shellLines.ts'
import { type RunningLine, runLine, startLine } from '../scripts/docs/startLine.ts'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'
import { openInstall, openNpm } from './docs/openInstall.ts'
import { takeLines } from './docs/takeLines.ts'

checksNoAnswers('the tests of docs/proxy.md, whose proxy has no service')

const { take, left } = takeLines('proxy')
const PAGE = readFileSync(join(ROOT, 'docs/proxy.md'), 'utf8')
let npm: Awaited<ReturnType<typeof openNpm>>
let seller: Awaited<ReturnType<typeof startSeller>>
/** Folder of a reader, empty except for the key. */
let folder: string
let proxy: RunningLine
let address: string
let token: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-proxy-'))
  npm = await openNpm(await openInstall())
  seller = await startSeller({ priceUsd: '0.01' })
  await writeFile(join(folder, 'key'), generatePrivateKey(), { mode: 0o600 })
  const [line = ''] = take(/ touchstone proxy /)
  const { host } = new URL(seller.url)
  proxy = startLine(`${line} --port 0 --allow-host ${host}`, { cwd: folder, env: settings() })
  ;[, address = ''] = await proxy.said(/^Listening on (http\S+),/m)
  const [, file = ''] = await proxy.said(/^Task research: \$2\.00, token in (\S+)$/m)
  await proxy.said(/^Try: /m)
  token = await readFile(file, 'utf8')
})
afterAll(async () => {
  await proxy?.interrupt('SIGTERM')
  await seller?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

/** Settings of npm for the registry of this machine, and a home of the reader's own. */
const settings = () => ({
  ...npm,
  HOME: folder,
  XDG_STATE_HOME: '',
  TOKEN: token,
})

/** Puts the addresses of this test in place of those of the page. */
const fill = (text: string) =>
  text
    .replaceAll('https://api.example.com/weather', new URL('/weather', seller.url).href)
    .replaceAll('127.0.0.1:4402', new URL(address).host)

const runs = (command: string) => spawnSync('sh', ['-c', command], { stdio: 'ignore' }).status === 0

/** Programs of the page that are run, by the line above each; the others need what machines like this one lack. */
const PROGRAMS = [
  ['Python, standard library', 'program.py', 'python3 program.py', 'python3 --version', /^200 0\.01 \{/],
  ['Python, requests', 'program.py', 'python3 program.py', 'python3 -c "import requests"', /^200 0\.01 \{/],
  [
    'Rust, standard library',
    'program.rs',
    'rustc -o program program.rs && ./program',
    'rustc --version',
    /^HTTP\/1\.1 200 OK\r\n[\s\S]*touchstone-amount-usd: 0\.01\r\n/,
  ],
] as const

for (const [title, file, command, needed, says] of PROGRAMS) {
  // A skipped test counts as a failed one, and machines without Python or Rust are no fault.
  if (!runs(needed)) continue
  test(`default: the program "${title}" pays through the proxy`, async () => {
    const [, code = ''] = new RegExp(`^${title}:\n\n\`\`\`\\w+\n([^]*?)^\`\`\`$`, 'm').exec(PAGE) ?? []
    await writeFile(join(folder, file), fill(code))
    const before = seller.payments.length
    // The compiler is found by the home of the user.
    const env = { ...settings(), HOME: process.env.HOME ?? folder }
    const { output } = await runLine(command, { cwd: folder, env })
    expect(output).toMatch(says)
    expect(seller.payments.length).toBe(before + 1)
  })
}

test('default: the curl line pays through the proxy, and nothing waits for approval', async () => {
  for (const line of take(/^curl /)) {
    const { code, output } = await runLine(fill(line), { cwd: folder, env: settings() })
    expect([code, output]).toEqual([0, expect.stringMatching(/^\{/)])
  }
  for (const line of take(/ approve/))
    expect(await runLine(line, { cwd: folder, env: settings() })).toEqual({
      code: 0,
      output: 'Nothing waits.\n',
    })
})

test('default: the printed password opens the page', async () => {
  const [line = ''] = take(/ proxy page/)
  const { output } = await runLine(line, { cwd: folder, env: settings() })
  const [, url = '', password = ''] = /^Page: (\S+) .*\nPassword: (\S+)\n$/.exec(output) ?? []
  const authorization = `Basic ${Buffer.from(`me:${password}`).toString('base64')}`
  expect(url).toBe(`${address}/`)
  expect((await fetch(url, { headers: { authorization } })).status).toBe(200)
  expect(proxy.output()).not.toContain(password)
})

test('behavior: no secret is in what the proxy prints', async () => {
  const key = await readFile(join(folder, 'key'), 'utf8')
  const [payer = ''] = await readdir(join(folder, '.local/state/touchstone'))
  const operator = await readFile(join(folder, '.local/state/touchstone', payer, 'proxy/operator'), 'utf8')
  for (const secret of [key.slice(2), token, operator]) expect(proxy.output()).not.toContain(secret)
})

test('default: every line was run', () => expect(left()).toEqual([]))
