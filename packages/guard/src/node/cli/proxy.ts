import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join, resolve } from 'node:path'
import { usdToAtomic } from '@touchstone402/shared'
import { OPERATOR_HEADER } from '../proxy/messages.ts'
import {
  listProxyFolders,
  openSecrets,
  PROXY_FILES,
  proxyFolder,
  publishAddress,
  withdrawAddress,
} from '../proxy/secrets.ts'
import { type CommandLine, EXIT, type Io, print, UsageError } from './io.ts'
import { chooseOnly, loadWallet, openLedger, readPolicy, readService } from './options.ts'

const DEFAULT_PORT = '4402'
/** As much as the default policy allows a day. */
const DEFAULT_TASK = 'default=5.00'

/** `proxy`: pays for programs in every language, which reach it over HTTP and never see the key. */
export async function proxy({ values }: CommandLine, io: Io): Promise<number> {
  const budgets = readTasks(values.task ?? [DEFAULT_TASK])
  const place = await readPlace(values)
  const policy = await readPolicy(values.policy)
  const service = readService(io, values.service)
  const { account } = await loadWallet(io)
  if (io.env.PRIVATE_KEY !== undefined)
    io.err(
      'Every process of this user can read PRIVATE_KEY in the environment; set PRIVATE_KEY_FILE instead.',
    )
  const folder = resolve(values.folder ?? proxyFolder(io.env, account.address))
  const { operator, tokens } = await openSecrets(folder, [...budgets.keys()])
  const { ledger, path } = await openLedger(values.ledger, account.address, io)
  const tasks = new Map([...budgets].map(([name, maxUsd]) => [String(tokens.get(name)), { name, maxUsd }]))
  const { sign: signs = false } = values
  const allowHosts = (values['allow-host'] ?? []).map(readHost)
  const options = { account, policy, ledger, service, tasks, operator, place, allowHosts, signs, env: io.env }
  // It needs the optional peers, whose lack `loadWallet` reports.
  const { startProxy } = await import('../proxy/startProxy.ts')
  const running = await startProxy(options).catch(async (error: unknown) => {
    await ledger.close()
    throw error
  })
  const { address } = running
  await publishAddress(folder, address)
  const tokenOf = (name: string) => join(folder, PROXY_FILES.tokens, name)
  const facts = {
    address,
    payer: account.address,
    folder,
    ledger: path,
    tokens: [...budgets.keys()].map(tokenOf),
  }
  if (values.json) io.out(JSON.stringify(facts))
  else {
    const [first = ''] = facts.tokens
    const isUrl = 'port' in place
    io.err(`Listening on ${address}, paying from ${account.address}.`)
    for (const [name, maxUsd] of budgets) io.err(`Task ${name}: $${maxUsd}, token in ${tokenOf(name)}`)
    if (isUrl) io.err(`Page: ${address}/ (any user name, password in ${join(folder, PROXY_FILES.operator)})`)
    const to = isUrl ? `${address}/https://` : `--unix-socket ${address} http://localhost/https://`
    // By standard input, since every user of the machine sees the arguments of a process.
    const token = `printf 'Touchstone-Token: %s' "$(cat ${first})"`
    io.err(`Try: ${token} | curl -H @- ${to}api.example.com/weather`)
  }
  await new Promise<void>((stopped) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped())
  })
  await withdrawAddress(folder, address)
  await running.stop()
  await ledger.close()
  return EXIT.ok
}

/** `approve`: lists what waits for the operator, or answers one of them. */
export async function approve({ values, positionals }: CommandLine, io: Io): Promise<number> {
  const [id, ...others] = positionals
  if (others.length > 0 || (id !== undefined && !/^[0-9a-f]{12}$/.test(id)))
    throw new UsageError('Expected the id of one approval, such as 3f9a0c51b2de.')
  const advice = 'Give the folder of the proxy with --folder'
  const folder = values.folder ?? chooseOnly(await listProxyFolders(io.env), advice)
  const read = async (name: string) => (await readFile(join(folder, name), 'utf8')).trim()
  const [address, operator] = await Promise.all([
    read(PROXY_FILES.address),
    read(PROXY_FILES.operator),
  ]).catch(() => {
    throw new UsageError(`There is no proxy in ${folder}, or it is another user's.`)
  })
  const isRefused = values.refuse ?? false
  const path = id === undefined ? '/approvals' : `/approvals/${id}/${isRefused ? 'refuse' : 'approve'}`
  const { status, body } = await ask(address, operator, path, id === undefined ? 'GET' : 'POST')
  if (id === undefined) {
    const { pending }: { pending: Pending[] } = JSON.parse(body)
    const lines = pending.map(({ id, task, question: { reason, intent } }) => {
      const { amountUsd, payTo, method, url } = intent
      return `${id}  task ${task}: $${amountUsd} to ${payTo} for ${method} ${url}. ${reason}`
    })
    return print(io, values, { pending }, lines.length > 0 ? lines : ['Nothing waits.'])
  }
  if (status !== 303) throw new UsageError(`Nothing waits as ${id}; it may have expired.`)
  const state = isRefused ? 'refused' : 'approved'
  const next = isRefused ? '' : ' An equal call is paid once, until ten minutes after the question.'
  return print(io, values, { id, state }, [`${id} is ${state}.${next}`])
}

type Pending = {
  id: string
  task: string
  question: { reason: string; intent: Record<'amountUsd' | 'payTo' | 'method' | 'url', string> }
}

async function ask(address: string, operator: string, path: string, method: string) {
  const where = address.startsWith('http') ? {} : { socketPath: address }
  const url = new URL(path, address.startsWith('http') ? address : 'http://localhost')
  return new Promise<{ status: number; body: string }>((answered, failed) => {
    const headers = { [OPERATOR_HEADER]: 'command' }
    const asked = request(
      url,
      { ...where, method, auth: `operator:${operator}`, headers },
      async (response) => {
        let body = ''
        for await (const chunk of response.setEncoding('utf8')) body += chunk
        answered({ status: response.statusCode ?? 0, body })
      },
    )
    asked.on('error', () => failed(new UsageError(`The proxy at ${address} does not answer.`)))
    asked.end()
  })
}

/** Reads a host as URLs name it: in lower case, without the port of http or https. */
function readHost(text: string): string {
  const isHost = /^[^/?#@\s\\]+$/.test(text) && URL.canParse(`https://${text}`)
  if (!isHost)
    throw new UsageError(`--allow-host: expected a host such as 127.0.0.1:8080, got ${JSON.stringify(text)}`)
  return new URL(`http://${new URL(`https://${text}`).host}`).host
}

/** Reads tasks such as `research=2.00`. */
function readTasks(given: readonly string[]): Map<string, string> {
  const tasks = new Map<string, string>()
  for (const text of given) {
    const [, name, maxUsd] = /^([A-Za-z0-9][A-Za-z0-9._-]{0,63})=(.+)$/.exec(text) ?? []
    if (name === undefined || maxUsd === undefined || !isUsd(maxUsd))
      throw new UsageError(
        `--task: expected a name and dollars such as research=2.00, got ${JSON.stringify(text)}`,
      )
    if (tasks.has(name)) throw new UsageError(`--task: ${name} is given twice`)
    tasks.set(name, maxUsd)
  }
  return tasks
}

function isUsd(text: string): boolean {
  try {
    return usdToAtomic(text) > 0n
  } catch {
    return false
  }
}

async function readPlace({ port, socket, group }: CommandLine['values']) {
  if (socket === undefined) {
    if (group !== undefined) throw new UsageError('--group: needs --socket')
    const number = Number(port ?? DEFAULT_PORT)
    if (!/^[0-9]{1,5}$/.test(port ?? DEFAULT_PORT) || number > 65_535)
      throw new UsageError('--port: expected a number up to 65535')
    return { port: number }
  }
  if (port !== undefined) throw new UsageError('--port and --socket: give one of them')
  return { socket: resolve(socket), gid: group === undefined ? null : await findGroup(group) }
}

/** Returns the number of a group of this machine. */
async function findGroup(name: string): Promise<number> {
  const lines = (await readFile('/etc/group', 'utf8').catch(() => '')).split('\n')
  const gid = lines.map((line) => line.split(':')).find(([known]) => known === name)?.[2]
  if (gid === undefined) throw new UsageError(`--group: no group ${JSON.stringify(name)} in /etc/group`)
  return Number(gid)
}
