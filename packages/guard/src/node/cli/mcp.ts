import { parseArgs } from 'node:util'
import { createGuard } from '../../seats/createGuard.ts'
import { createFileLedger } from '../fileLedger.ts'
import { createPublicFetch } from '../publicFetch.ts'
import { EXIT, type Io, UsageError } from './io.ts'
import { readKey, readPolicy, readService } from './options.ts'
import { loadPeers } from './pay.ts'

/** `touchstone mcp`: the tools of the guard for agents that speak MCP. */
export async function mcp(args: string[], io: Io): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      service: { type: 'string' },
      policy: { type: 'string' },
      ledger: { type: 'string' },
      port: { type: 'string' },
      json: { type: 'boolean' },
    },
  })
  const service = readService(io, values.service)
  const policy = await readPolicy(values.policy)
  const { serveHttp, serveStdio } = await import('../mcp/serveMcp.ts').catch((cause) => {
    throw new UsageError('This needs @modelcontextprotocol/sdk beside this package: npm install it.', {
      cause,
    })
  })
  const hasKey = io.env.PRIVATE_KEY !== undefined || io.env.PRIVATE_KEY_FILE !== undefined
  const account = hasKey ? (await loadPeers()).privateKeyToAccount(await readKey(io)) : null
  const ledger = values.ledger === undefined ? undefined : await createFileLedger(values.ledger)
  const guard = createGuard({
    service,
    policy,
    ...(ledger === undefined ? {} : { ledger }),
    ...(account === null ? {} : { account }),
  })
  const pay = account === null ? null : await createPay(account, guard)
  const context = { guard, serviceUrl: service.url, serviceFetch: io.fetch, pay }
  if (values.port === undefined) {
    await serveStdio(context)
    await ledger?.close()
    return EXIT.ok
  }
  if (!/^[0-9]{1,5}$/.test(values.port)) throw new UsageError('--port: expected a number')
  const { url } = await serveHttp(context, Number(values.port))
  if (values.json) io.out(JSON.stringify({ url }))
  else io.err(`Listening at ${url}, on this machine alone.`)
  return new Promise(() => {})
}

async function createPay(
  account: Parameters<ReturnType<typeof createGuard>['account']>[0],
  guard: ReturnType<typeof createGuard>,
) {
  const { createGuardedFetch } = await import('../../seats/createGuardedFetch.ts')
  return createGuardedFetch({ account, guard, fetch: createPublicFetch() })
}
