import { mkdir } from 'node:fs/promises'
import { createGuard } from '../../integrations/createGuard.ts'
import { createUpto } from '../../upto/createUpto.ts'
import { createPublicFetch } from '../publicFetch.ts'
import { type CommandLine, EXIT, type Io, UsageError } from './io.ts'
import { hasKey, loadWallet, openLedger, readPolicy, readService } from './options.ts'

/** `mcp`: serves the guard's tools over MCP. */
export async function mcp({ values }: CommandLine, io: Io): Promise<number> {
  const service = readService(io, values.service)
  const policy = await readPolicy(values.policy)
  const { files } = values
  if (files !== undefined) await openFolder(files)
  const { askMcpClient, serveHttp, serveStdio } = await import('../mcp/serveMcp.ts').catch((cause) => {
    const [, missing = '@modelcontextprotocol/sdk'] = /package '([^']+)'/.exec(String(cause)) ?? []
    throw new UsageError(`The command needs ${missing}; install it with npm.`, { cause })
  })
  const wallet = hasKey(io) ? await loadWallet(io) : null
  // Without a wallet nothing is paid.
  const ledger = wallet && (await openLedger(values.ledger, wallet.account.address, io)).ledger
  const guard = createGuard({
    upto: createUpto(),
    ask: askMcpClient,
    service,
    policy,
    ...(ledger !== null && { ledger }),
    ...(wallet !== null && { account: wallet.account }),
  })
  const allowPrivateHosts = values['allow-private-hosts'] ?? false
  const fetch = createPublicFetch({ serviceUrl: guard.serviceUrl, allowPrivateHosts })
  const pay = wallet?.createGuardedFetch({ account: wallet.account, guard, fetch }) ?? null
  const context = { guard, serviceFetch: io.fetch, pay, answers: { filesFolder: files ?? null } }
  if (values.port === undefined) {
    await serveStdio(context)
    await ledger?.close()
    return EXIT.ok
  }
  if (!/^[0-9]{1,5}$/.test(values.port)) throw new UsageError('--port: expected a number')
  const { url } = await serveHttp(context, Number(values.port))
  if (values.json) io.out(JSON.stringify({ url }))
  else io.err(`Listening on ${url} (this machine only).`)
  return new Promise(() => {})
}

/** Creates the folder for files, unless it is there. */
async function openFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`--files: cannot open the folder ${path} (${cause.code}).`, { cause })
  })
}
