import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { usdToAtomic } from '@touchstone402/shared'
import { formatUsd } from '../../formatUsd.ts'
import { openSecrets, proxyFolder, publishAddress, tokenPath, withdrawAddress } from '../proxy/secrets.ts'
import { EXIT, type Io, UsageError, untilStopped } from './io.ts'
import { loadWallet, openLedger, readPolicy, readRpcUrls, readService } from './options.ts'

const DEFAULT_PORT = '4402'
/** As much as the default policy allows a day. */
const DEFAULT_TASK = 'default=5.00'

type Given = {
  readonly task: readonly string[] | undefined
  readonly policy: string | undefined
  readonly ledger: string | undefined
  readonly service: string | undefined
  readonly port: string | undefined
  readonly socket: string | undefined
  readonly group: string | undefined
  readonly folder: string | undefined
  readonly 'allow-host': readonly string[] | undefined
  readonly rpc: readonly string[] | undefined
  readonly sign: boolean
  readonly json: boolean
}

/** `proxy`: pays for programs in every language, which reach it over HTTP and never see the key. */
export async function proxy(values: Given, io: Io): Promise<number> {
  const budgets = readTasks(values.task ?? [DEFAULT_TASK])
  const place = await readPlace(values)
  const policy = await readPolicy(values.policy)
  const service = readService(io, values.service)
  const rpcUrls = readRpcUrls(io, values.rpc)
  const { account } = await loadWallet(io)
  if (io.env.PRIVATE_KEY !== undefined)
    io.err(
      'Every process of this user can read PRIVATE_KEY in the environment; set PRIVATE_KEY_FILE instead.',
    )
  const folder = resolve(values.folder ?? proxyFolder(io.env, account.address))
  const { operator, tokens } = await openSecrets(folder, [...budgets.keys()])
  const { ledger, path } = await openLedger(values.ledger, account.address, io)
  const tasks = new Map([...budgets].map(([name, maxUsd]) => [String(tokens.get(name)), { name, maxUsd }]))
  const { sign: signs } = values
  const allowHosts = (values['allow-host'] ?? []).map(readHost)
  const options = {
    account,
    policy,
    ledger,
    service,
    tasks,
    operator,
    place,
    allowHosts,
    signs,
    rpcUrls,
    env: io.env,
  }
  // It needs the optional peers, whose lack `loadWallet` reports.
  const { startProxy, proxyLimits } = await import('../proxy/startProxy.ts')
  const limits = proxyLimits(tasks.size)
  const running = await startProxy({ ...options, ...limits }).catch(async (error: unknown) => {
    await ledger.close()
    throw error
  })
  const { address } = running
  await publishAddress(folder, address)
  const tokenOf = (name: string) => tokenPath(folder, name)
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
    for (const [name, maxUsd] of budgets)
      io.err(`Task ${name}: ${formatUsd(maxUsd)}, token in ${tokenOf(name)}`)
    if (isUrl) io.err(`Page: ${address}/ (its password of this start: touchstone proxy page)`)
    const to = isUrl ? `${address}/https://` : `--unix-socket ${address} http://localhost/https://`
    // By standard input, since every user of the machine sees the arguments of a process.
    const token = `printf 'Touchstone-Token: %s' "$(cat ${first})"`
    io.err(`Try: ${token} | curl -H @- ${to}api.example.com/weather`)
  }
  await untilStopped()
  await withdrawAddress(folder, address)
  await running.stop()
  await ledger.close()
  return EXIT.ok
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

async function readPlace({ port, socket, group }: Pick<Given, 'port' | 'socket' | 'group'>) {
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
