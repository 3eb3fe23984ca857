import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyAt, WALLET_INDEX } from '@touchstone402/economy'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningLine, runLine, startLine, WITH_LOCAL_NAMES } from '../scripts/docs/startLine.ts'
import { openInstall, openNpm } from './docs/openInstall.ts'
import { type Invitation, makeClone, readInvitation } from './docs/readInvitation.ts'
import { type QuickStart, readStarts } from './docs/readStarts.ts'
import { takeLines } from './docs/takeLines.ts'

const { take, left } = takeLines('agent')
const STARTS = readStarts()
/** Expected output of the quick starts that are run, by their title; the others need a model or a public seller. */
const RUN: Readonly<Record<string, RegExp>> = {
  'README.md': /^200 \{/m,
  'Plain fetch': /^200 \{/m,
  axios: /^200 \{/m,
  MCP: /Status 200, paid \$0\.0\d/,
}
/** The start of README.md, which installs what was packed. */
const PACKED = STARTS.filter(({ title }) => title === 'README.md')
const INSTALLS = [
  ...new Set(
    STARTS.filter((start) => RUN[start.title] !== undefined && !PACKED.includes(start)).map(
      ({ install }) => install,
    ),
  ),
]

let demo: RunningLine
let origin: string
let invitation: Invitation
/** Stands for the folder in which the demonstration was started. */
let clone: string

beforeAll(async () => {
  const [line = ''] = take(/^npm run demo$/)
  demo = startLine(line)
  ;[, origin = ''] = await demo.said(/Dashboard: (\S+)\/ /)
  invitation = readInvitation(demo.output())
  clone = await makeClone(invitation)
})
afterAll(async () => {
  await demo?.interrupt()
  for (const folder of [clone, ...folders.values()])
    if (folder) await rm(folder, { recursive: true, force: true })
})

test('default: npm run demo prints the URL of a working dashboard', async () => {
  const response = await fetch(`${origin}/`, { headers: { accept: 'text/html' } })
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('safe to pay?')])
})

test('default: an unpaid call of docs/tokens.md answers 402', async () => {
  for (const line of take(/^curl -i /)) {
    // Without its progress, which may stand before the first line.
    const { code, output } = await runLine(`${line.replace('https://trust.example', origin)} --silent`)
    expect([line, code, output]).toEqual([line, 0, expect.stringMatching(/^HTTP\/1\.1 402 /m)])
  }
})

/** An agent as a stranger would write it, outside of the repository. */
const OWN_AGENT = `
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { privateKeyToAccount } from 'viem/accounts'

const fetch = createGuardedFetch({ account: privateKeyToAccount(process.env.PRIVATE_KEY) })
const response = await fetch(process.env.ENDPOINT_URL)
console.log('answered', response.status, response.headers.has('payment-response'))
`

test('default: an agent joins with the settings and the command that the demonstration prints', async () => {
  const { settings, endpoint, command } = invitation
  const payer = privateKeyToAccount(/^PRIVATE_KEY=(0x\w+)$/m.exec(settings)?.[1] as `0x${string}`)
  expect(demo.output()).toContain(`${payer.address} has 100 USDC`)
  expect(new URL(endpoint).hostname).toBe('weather.localhost')
  const printed = await runLine(command, { cwd: clone })
  expect([printed.code, printed.output]).toEqual([0, expect.stringMatching(/^settled \$0\.01 to 0x/m)])

  await writeFile(join(clone, 'agent.mjs'), OWN_AGENT)
  const own = await runLine(command.replace(/ \S+$/, ' agent.mjs'), { cwd: clone })
  expect([own.code, own.output]).toEqual([0, expect.stringMatching(/^answered 200 true$/m)])

  const asked = await runLine(invitation.check)
  expect([asked.code, asked.output]).toEqual([0, expect.stringMatching(/^Safe to pay, /m)])
})

/** Expected output of the examples. */
const EXAMPLES: readonly (readonly [RegExp, RegExp])[] = [
  [/quickstart\/agent/, /^settled \$0\.01 to 0x/m],
  [/quickstart|existing-client|axios-guarded/, /^200 /m],
  [/agent-loop/, /^bought {2}http:\/\/weather\.localhost:\d+\/weather {2}200$/m],
  [/daily-budget/, /^Paid 5 calls, stopped by OVER_DAY_LIMIT\./m],
  [/human-approval/, /^Paid\.$/m],
  [/offline/, /^Paid: 200 /m],
  [/mcp-agent/, /: Safe to pay\nStatus 200, paid \$0\.\d+\./],
]

test('default: every example runs against the demonstration as its page says', async () => {
  for (const [index, line] of take(/^npm run agent -- examples\//).entries()) {
    // npm runs the script, which takes longer than most examples; the first line shows that it does.
    const command = index === 0 ? line : line.replace(/^npm run agent --/, 'node scripts/run.mjs agent')
    const { code, output } = await runLine(command, { cwd: clone })
    const says = EXAMPLES.find(([pattern]) => pattern.test(line))?.[1] ?? /never/
    expect([line, code, output]).toEqual([line, 0, expect.stringMatching(says)])
  }
})

let opened: Promise<{ bin: string; npm: Awaited<ReturnType<typeof openNpm>> }> | undefined

/** Returns the installed command and the environment of npm, which the first caller waits for. */
function openPackages() {
  opened ??= openInstall().then(async (install) => ({
    bin: join(install.folder, 'node_modules/.bin/touchstone'),
    npm: await openNpm(install),
  }))
  return opened
}

const folders = new Map<string, string>()

/** Makes an empty folder, which nothing installed is above of. */
async function makeFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-empty-'))
  folders.set(name, folder)
  return folder
}

test('default: npm install finds the guard, its peer packages and those that pages name', async () => {
  const { npm } = await openPackages()
  const cwd = await makeFolder('resolved')
  for (const line of take(/^npm install /)) {
    // Those of the quick starts that are run are installed below, and their packages are all of the others that matter.
    if (INSTALLS.includes(line)) continue
    const { code, output } = await runLine(`${line} --dry-run`, { cwd, env: npm })
    expect([line, code, output]).toEqual([line, 0, expect.stringMatching(/^add /m)])
  }
})

/** Runs programs of pages in a folder with their packages. */
async function runStarts(starts: readonly QuickStart[], cwd: string) {
  const PRIVATE_KEY = keyAt(WALLET_INDEX.bots[4])
  await writeFile(join(cwd, 'key'), PRIVATE_KEY, { mode: 0o600 })
  for (const start of starts) {
    const program = start.code
      .replace('https://api.example.com/weather', invitation.endpoint)
      // Models choose the addresses, so the server reaches no seller of this machine unless it is configured to.
      .replace("'touchstone', 'mcp'", "'touchstone', 'mcp', '--allow-private-hosts'")
    await writeFile(join(cwd, 'agent.mts'), program)
    // The ledger of the account is in its home.
    const home = { HOME: cwd, XDG_STATE_HOME: '' }
    const ran = await runLine(start.run, { cwd, env: { ...home, PRIVATE_KEY, ...WITH_LOCAL_NAMES } })
    const says = expect.stringMatching(RUN[start.title] ?? /never/)
    expect([start.title, ran.code, ran.output]).toEqual([start.title, 0, says])
  }
}

test.concurrent.each(INSTALLS)(
  'default: what a page prints runs in an empty folder after %s',
  async (install) => {
    const { npm } = await openPackages()
    const cwd = await makeFolder(install)
    const { code, output } = await runLine(install, { cwd, env: npm })
    expect(code, output).toBe(0)
    await runStarts(
      STARTS.filter((one) => one.install === install),
      cwd,
    )
  },
)

test('default: the program of README.md runs beside the packed packages', async () => {
  const { folder } = await openInstall()
  const cwd = await makeFolder('packed')
  await symlink(join(folder, 'node_modules'), join(cwd, 'node_modules'))
  expect(PACKED).toHaveLength(1)
  await runStarts(PACKED, cwd)
})

test('default: the page of an unpaid call prints commands that pay it, with the guard and with another client', async () => {
  const { folder } = await openInstall()
  const cwd = await makeFolder('unpaid')
  await symlink(join(folder, 'node_modules'), join(cwd, 'node_modules'))
  await writeFile(join(cwd, 'key'), keyAt(WALLET_INDEX.bots[4]), { mode: 0o600 })
  const page = await (await fetch(`${origin}/pulse`, { headers: { accept: 'text/html' } })).text()
  for (const label of ['Paid by the guard', 'Paid by an x402 client']) {
    const [, shown = ''] = new RegExp(`aria-label="${label}"><pre><code>(.*?)</code>`, 's').exec(page) ?? []
    const command = shown.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
    const { code, output } = await runLine(command, { cwd, env: { HOME: cwd, XDG_STATE_HOME: '' } })
    expect([label, code, output]).toEqual([label, 0, expect.stringContaining('"methodVersion":')])
  }
})

/** How a line calls the command. */
const NPX = /npx (-p \S+ )*(@touchstone402\/guard|touchstone) /

/** Makes a reader's folder that is empty except for the files that the lines name. */
async function readerEnvironment() {
  const { endpoint } = invitation
  const { bin, npm } = await openPackages()
  const cwd = await makeFolder('commands')
  await writeFile(join(cwd, 'key'), keyAt(WALLET_INDEX.bots[4]), { mode: 0o600 })
  await writeFile(join(cwd, 'policy.json'), '{ "maxPerDayUsd": "2.00" }')
  await writeFile(join(cwd, 'stricter.json'), '{ "maxPerPaymentUsd": "0.001" }')
  return {
    cwd,
    bin,
    fill: (line: string) =>
      line.replace('https://api.example.com/weather', endpoint).replace('https://touchstone.example', origin),
    // As the demonstration advises where the resolver does not know the names of the sellers.
    env: { ...npm, TOUCHSTONE_URL: origin, ...WITH_LOCAL_NAMES },
  }
}

/** Expected output of the commands. */
const SAYS: readonly (readonly [RegExp, RegExp])[] = [
  [/ (check|pay|budget) .*--json$/, /^\{.*"(state|isStopped)":/m],
  [/ check /, /^Safe to pay, score \d+, risk clean$/m],
  [/ scan .*--(json|sarif)/, /^\{.*"(checks|runs)":/m],
  [/ scan /, /^(Nothing|\d+ things?) to fix: http/m],
  [/ pay /, /temperature|weather|"/i],
  [/policy explain/, /\$2\.00|\$5\.00/],
  [/policy replay/, /^Of (\d) payments, \1 are blocked /m],
  [/ledger verify/, /none missing\.$/m],
  [/ledger receipts/, /^No receipts\.$|signed by|receipt of/m],
  [/ledger export/, /^time,host,task,amountUsd,.*\r$|^\{"payments":\[/m],
  [/ledger compact/, /^Compacted /m],
  // Nothing waits, so no chain is asked.
  [/ledger reconcile/, /^0 settled, 0 released, 0 open\.$/m],
  [/ budget /, /^Last 24 hours: \$0\.\d+ spent of \$5/m],
  [/ strikes /, /^No strikes\.$/m],
  [/ log \w+ --help/, /^npx @touchstone402\/guard log /m],
  [/ stop /, /^Payments are /m],
]

test('default: the documented commands check, pay, explain, replay and verify, in an empty folder', {
  timeout: 120_000,
}, async () => {
  const { cwd, bin, fill, env } = await readerEnvironment()
  const commands = take(/^([A-Z_]+=\S+ )*npx (?!.* mcp\b)(-p \S+ )*(@touchstone402\/guard|touchstone) /)
  const shown = new Set<string>()
  for (const line of commands) {
    // npx takes longer than any command, so it runs once for each way to name the packages.
    const [npx = ''] = NPX.exec(line) ?? []
    const command = shown.has(npx) ? fill(line).replace(npx, `'${bin}' `) : fill(line)
    shown.add(npx)
    const { code, output } = await runLine(command, { cwd, env })
    const says = SAYS.find(([pattern]) => pattern.test(line))?.[1] ?? /never/
    expect([line, code, output]).toEqual([line, 0, expect.stringMatching(says)])
  }
  expect(await readFile(join(cwd, 'spending.jsonl'), 'utf8')).toContain(new URL(invitation.endpoint).host)
})

test('default: the documented mcp commands serve tools over MCP with the packages of the quick start', async () => {
  const { fill, env } = await readerEnvironment()
  const cwd = folders.get(STARTS.find(({ title }) => title === 'MCP')?.install ?? '') ?? ''
  for (const line of take(/ npx .* mcp\b/)) {
    const server = startLine(fill(line), { cwd, env })
    const say = (message: object) =>
      server.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const clientInfo = { name: 'a reader', version: '1' }
    say({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
    })
    await server.said(/"id":1/)
    say({ method: 'notifications/initialized' })
    say({ id: 2, method: 'tools/list' })
    await server.said(/"guarded_fetch"/)
    server.child.stdin?.end()
    await server.interrupt()
  }
})

test('behavior: Ctrl-C stops the demonstration', async () => {
  await demo.interrupt()
  await expect(fetch(origin)).rejects.toThrow()
})

test('default: every line was run', () => {
  take(/^npx tsx agent\.mts$/)
  expect(left()).toEqual([])
})
