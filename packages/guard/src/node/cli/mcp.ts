import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createGuard } from '../../integrations/createGuard.ts'
import { createUpto } from '../../upto/createUpto.ts'
import { createPendingApprovals } from '../proxy/approvals.ts'
import { mcpFolder, openSecrets, publishAddress, tokenPath, withdrawAddress } from '../proxy/secrets.ts'
import { createPublicFetch } from '../publicFetch.ts'
import { reconcileOften } from '../reconcileOften.ts'
import { EXIT, type Io, UsageError, untilStopped } from './io.ts'
import { hasKey, loadWallet, openLedger, readPolicy, readRpcUrls, readService } from './options.ts'

/** Name of the token's file, and of the asker in what waits for the operator. */
const NAME = 'mcp'
/** Name of whoever holds the token, which no task of a proxy can have. */
const AGENT = 'mcp --port'

type Given = {
  readonly policy: string | undefined
  readonly ledger: string | undefined
  readonly service: string | undefined
  readonly files: string | undefined
  readonly rpc: readonly string[] | undefined
  readonly port: string | undefined
  readonly 'token-file': string | undefined
  readonly 'allow-private-hosts': boolean
  readonly json: boolean
}

/** `mcp`: serves the guard's tools over MCP. */
export async function mcp(values: Given, io: Io): Promise<number> {
  const isHttp = values.port !== undefined
  if (!/^[0-9]{1,5}$/.test(values.port ?? '0')) throw new UsageError('--port: expected a number')
  if (values['token-file'] !== undefined && !isHttp) throw new UsageError('--token-file: needs --port')
  const service = readService(io, values.service)
  const policy = await readPolicy(values.policy)
  const { files } = values
  if (files !== undefined) await openFolder(files)
  const rpcUrls = readRpcUrls(io, values.rpc)
  const { askMcpClient, serveHttp, serveStdio, toolCalls } = await import('../mcp/serveMcp.ts').catch(
    (cause) => {
      const [, missing = '@modelcontextprotocol/sdk'] = /package '([^']+)'/.exec(String(cause)) ?? []
      throw new UsageError(`The command needs ${missing}; install it with npm.`, { cause })
    },
  )
  const wallet = hasKey(io) ? await loadWallet(io) : null
  // Without a wallet nothing is paid.
  const ledger = wallet && (await openLedger(values.ledger, wallet.account.address, io)).ledger
  const approvals = createPendingApprovals(Date.now)
  const own = createGuard({
    upto: createUpto(),
    rpcUrls,
    ask: isHttp ? approvals.handlerOf(NAME, () => toolCalls.getStore()) : askMcpClient,
    // For the person who approves, who sees the query.
    keepUrls: true,
    service,
    policy,
    ...(ledger !== null && { ledger }),
    ...(wallet !== null && { account: wallet.account }),
  })
  // Whoever holds the token is not the owner.
  const guard = isHttp ? own.agent(AGENT) : own
  const allowPrivateHosts = values['allow-private-hosts']
  const fetch = createPublicFetch({ serviceUrl: guard.serviceUrl, allowPrivateHosts })
  const pay = wallet?.createGuardedFetch({ account: wallet.account, guard, fetch }) ?? null
  const context = { guard, serviceFetch: io.fetch, pay, answers: { filesFolder: files ?? null } }
  const endReconciling = ledger === null ? () => {} : reconcileOften(ledger, { rpcUrls })
  const end = async () => {
    endReconciling()
    await ledger?.close()
    return EXIT.ok
  }
  if (!isHttp) {
    await serveStdio(context)
    return end()
  }
  const folder = mcpFolder(io.env, wallet?.account.address ?? null)
  const tokenFile = resolve(values['token-file'] ?? tokenPath(folder, NAME))
  const { operator, tokens } = await openSecrets(folder, [NAME], () => tokenFile)
  const token = tokens.get(NAME) ?? ''
  const { address, url, stop } = await serveHttp(context, {
    port: Number(values.port),
    token,
    operator,
    approvals,
  })
  await publishAddress(folder, address)
  if (values.json) io.out(JSON.stringify({ url, tokenFile }))
  else
    io.err(
      `Listening on ${url} (this machine only), for the header Authorization: Bearer, token in ${tokenFile}`,
    )
  await untilStopped()
  await withdrawAddress(folder, address)
  await stop()
  return end()
}

/** Creates the folder for files, unless it is there. */
async function openFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`--files: cannot open the folder ${path} (${cause.code}).`, { cause })
  })
}
