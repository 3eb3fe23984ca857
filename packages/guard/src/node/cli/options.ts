import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { BASE } from '@touchstone402/shared'
import { hasWildcards } from '../../decide/hosts.ts'
import { type Policy, parsePolicy } from '../../decide/policySchema.ts'
import type { GuardOptions } from '../../integrations/createGuard.ts'
import type { RpcUrls } from '../../ledger/reconcile.ts'
import { createMapClient, type MapClient, type MapClientOptions } from '../../map/createMapClient.ts'
import { listDefaultLedgers, type OpenedLedger, openDefaultLedger, openLedgerAt } from '../defaultLedger.ts'
import { createMapFile } from '../mapFile.ts'
import { readAccount } from '../readAccount.ts'
import { type Io, UsageError } from './io.ts'

/** Reads the service from the options and the environment; undefined without one. */
export function readService(io: Io, flag: string | undefined): GuardOptions['service'] {
  const isMissing = !flag && !io.env.TOUCHSTONE_URL && io.env.TOUCHSTONE_MODE !== 'map'
  if (isMissing) return undefined
  const url = readServiceUrl(io, flag)
  const mode = io.env.TOUCHSTONE_MODE ?? 'verify'
  if (mode === 'map') return { url, fetch: io.fetch, mode, map: openMap(io, url) }
  if (mode !== 'verify') throw new UsageError('TOUCHSTONE_MODE: expected verify or map.')
  const jwksThumbprint = io.env.TOUCHSTONE_JWKS_THUMBPRINT
  return { url, fetch: io.fetch, ...(jwksThumbprint === undefined ? {} : { jwksThumbprint }) }
}

/** Reads the base URL of the service from the options and the environment. */
export function readServiceUrl(io: Io, flag: string | undefined): string {
  const url = flag ?? io.env.TOUCHSTONE_URL
  // Scripts pass a variable that is not set as an empty text.
  if (!url) throw new UsageError('Missing service: give --service <url> or set TOUCHSTONE_URL.')
  return url
}

/** Returns the path of the map: the one given, that of TOUCHSTONE_MAP, or `.touchstone/map` in the home directory. */
export function mapPath(io: Io, given: string | undefined): string {
  return given ?? io.env.TOUCHSTONE_MAP ?? join(io.env.HOME ?? homedir(), '.touchstone', 'map')
}

/** Opens the map of the environment. */
export function openMap(
  io: Io,
  url: string,
  file?: string,
  options: Pick<MapClientOptions, 'fetch' | 'onError'> = {},
): MapClient {
  const jwksThumbprint = io.env.TOUCHSTONE_JWKS_THUMBPRINT
  const storage = createMapFile(mapPath(io, file))
  return createMapClient({
    url,
    storage,
    fetch: io.fetch,
    ...options,
    ...(jwksThumbprint === undefined ? {} : { jwksThumbprint }),
  })
}

/** Reads a policy from a JSON file, or the defaults. */
export async function readPolicy(path: string | undefined): Promise<Policy> {
  if (path === undefined) return parsePolicy()
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError(`Cannot read the policy ${path}.`)
  })
  let input: unknown
  try {
    input = JSON.parse(text)
  } catch {
    throw new UsageError(`The policy ${path} is not JSON.`)
  }
  const policy = parsePolicy(input)
  if (hasWildcards(policy)) (await import('../../decide/sharedHosting.ts')).refuseSharedHosting(policy)
  return policy
}

/** Loads the optional peers that paying needs, and the wallet's account. */
export async function loadWallet(io: Io) {
  const { createGuardedFetch } = await import('../../integrations/createGuardedFetch.ts').catch((cause) => {
    throw new UsageError('Paying needs viem, @x402/fetch and @x402/evm; install them with npm.', { cause })
  })
  return { account: await readAccount(io.env), createGuardedFetch }
}

/** Whether the environment names the wallet's key. */
export const hasKey = ({ env }: Io): boolean =>
  env.PRIVATE_KEY !== undefined || env.PRIVATE_KEY_FILE !== undefined

/**
 * Reads RPC endpoints from the options, else from RPC_URLS: `eip155:8453=https://…`, or a URL alone for Base. Several of
 * one network must agree.
 * @throws UsageError
 */
export function readRpcUrls(io: Io, given: readonly string[] | undefined): RpcUrls {
  const texts = given ?? io.env.RPC_URLS?.split(',').filter((text) => text.trim() !== '') ?? []
  const urls: Record<string, string[]> = {}
  for (const text of texts) {
    const [, network = BASE, url = ''] = /^(?:(eip155:\d{1,12})=)?(https?:\/\/.+)$/.exec(text.trim()) ?? []
    // Not repeated in the message: it may hold a key.
    if (!URL.canParse(url))
      throw new UsageError(
        `${given ? '--rpc' : 'RPC_URLS'}: expected eip155:8453=https://your-rpc.example, or a URL alone for Base`,
      )
    urls[network] = [...(urls[network] ?? []), url]
  }
  return urls
}

/** Opens the ledger of an option, else the one that programs with this account share. */
export async function openLedger(given: string | undefined, payer: string, io: Io) {
  if (given !== undefined) return { ledger: await openLedgerAt(given), path: given }
  return openDefaultLedger(payer, { env: io.env, warn: io.err })
}

/**
 * Opens the ledger of a command that needs no account: of the option, of TOUCHSTONE_LEDGER, of the account if the key
 * is given, or the only one that there is.
 * @throws UsageError
 */
export async function openExistingLedger(given: string | undefined, io: Io): Promise<OpenedLedger> {
  const named = given ?? (io.env.TOUCHSTONE_LEDGER || undefined)
  if (named !== undefined) return openLedgerAt(named)
  if (hasKey(io)) {
    const { ledger, path } = await openLedger(undefined, (await loadWallet(io)).account.address, io)
    if (path !== null) return ledger
    throw new UsageError('There is no ledger that processes share.')
  }
  const advice = 'Give a ledger with --ledger or TOUCHSTONE_LEDGER, or the key of its account'
  return openLedgerAt(chooseOnly(await listDefaultLedgers(io.env), advice))
}

/** Returns the only place found. @throws UsageError with the advice and the places */
export function chooseOnly([first, ...others]: readonly string[], advice: string): string {
  if (first !== undefined && others.length === 0) return first
  const found =
    first === undefined ? 'there is none yet' : ['there are several:', first, ...others].join('\n  ')
  throw new UsageError(`${advice}; ${found}`)
}
