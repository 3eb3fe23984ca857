import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { misconfigured } from '../../errors.ts'
import { type Environment, listState, stateFolder } from '../defaultLedger.ts'
import { createNonce } from './operatorProofs.ts'

/** Secrets of a proxy, kept over restarts in a folder that its user alone can read. */
export type ProxySecrets = {
  /** Secret by which the operator's commands and the proxy prove themselves to each other. It is never sent. */
  operator: string
  /** Tokens by task. Delete the file of one, or that of the operator, to withdraw it at the next start. */
  tokens: ReadonlyMap<string, string>
}

/** Files of a proxy's folder. */
export const PROXY_FILES = { operator: 'operator', tokens: 'tokens', address: 'address' } as const

/** Returns the folder of an account's `mcp --port`, or of one without an account. */
export const mcpFolder = (env: Environment, payer: string | null): string =>
  join(stateFolder(env), ...(payer === null ? [] : [payer.toLowerCase()]), 'mcp')

/** Returns the folder of an account's proxy. */
export const proxyFolder = (env: Environment, payer: string): string =>
  join(stateFolder(env), payer.toLowerCase(), 'proxy')

/** Returns the file of a task's token. */
export const tokenPath = (folder: string, task: string): string => join(folder, PROXY_FILES.tokens, task)

/**
 * Reads the secrets of a proxy and creates those that are missing.
 * @param pathOf file of a task's token. @default in the folder
 * @throws ConfigurationError
 */
export async function openSecrets(
  folder: string,
  tasks: readonly string[],
  pathOf = (task: string) => tokenPath(folder, task),
): Promise<ProxySecrets> {
  try {
    const tokens = new Map<string, string>()
    for (const task of tasks) tokens.set(task, await readOrCreate(pathOf(task)))
    return { operator: await readOrCreate(join(folder, PROXY_FILES.operator)), tokens }
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause) || cause.code === 'CONFIGURATION') throw cause
    throw misconfigured(`folder ${folder}: cannot be used (${cause.code})`, cause)
  }
}

async function readOrCreate(path: string): Promise<string> {
  const secret = createNonce()
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(path, secret, { flag: 'wx', mode: 0o600 })
    return secret
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  if (((await stat(path)).mode & 0o077) !== 0)
    throw misconfigured(`${path}: other users can read it; set its mode to 600`)
  const kept = (await readFile(path, 'utf8')).trim()
  if (!/^[\w-]{43}$/.test(kept)) throw misconfigured(`${path}: not a token; delete it`)
  return kept
}

/** Stores the listening address of a proxy for the operator's commands: a URL, or the path of a socket. */
export async function publishAddress(folder: string, address: string): Promise<void> {
  await writeFile(join(folder, PROXY_FILES.address), address, { mode: 0o600 })
}

/** Deletes the published address, so that commands do not look there. Keeps that of another proxy. */
export async function withdrawAddress(folder: string, address: string): Promise<void> {
  const path = join(folder, PROXY_FILES.address)
  if ((await readFile(path, 'utf8').catch(() => null)) === address) await rm(path)
}

/** Reads the published address of a proxy, and its operator's secret. Null if there is none, or it is another user's. */
export async function readPlace(folder: string): Promise<{ address: string; secret: string } | null> {
  const read = async (name: string) => (await readFile(join(folder, name), 'utf8')).trim()
  return Promise.all([read(PROXY_FILES.address), read(PROXY_FILES.operator)]).then(
    ([address, secret]) => ({ address, secret }),
    () => null,
  )
}

/** Returns the folders of all accounts' proxies that have published an address. */
export async function listProxyFolders(env: Environment): Promise<string[]> {
  return (await listState(env, 'proxy', PROXY_FILES.address)).map(dirname)
}

/** Returns the folders of all accounts' `mcp --port` that have published an address. */
export async function listMcpFolders(env: Environment): Promise<string[]> {
  return (await listState(env, 'mcp', PROXY_FILES.address)).map(dirname)
}
