import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { misconfigured } from '../../errors.ts'
import { type Environment, listState, stateFolder } from '../defaultLedger.ts'

/** Secrets of a proxy, kept over restarts in a folder that its user alone can read. */
export type ProxySecrets = {
  /** Password of the operator's page. */
  operator: string
  /** Tokens by task. Delete the file of one, or that of the operator, to withdraw it at the next start. */
  tokens: ReadonlyMap<string, string>
}

/** Files of a proxy's folder. */
export const PROXY_FILES = { operator: 'operator', tokens: 'tokens', address: 'address' } as const

/** Returns the folder of an account's proxy. */
export const proxyFolder = (env: Environment, payer: string): string =>
  join(stateFolder(env), payer.toLowerCase(), 'proxy')

/** Reads the secrets of a proxy and creates those that are missing. @throws ConfigurationError */
export async function openSecrets(folder: string, tasks: readonly string[]): Promise<ProxySecrets> {
  try {
    await mkdir(join(folder, PROXY_FILES.tokens), { recursive: true, mode: 0o700 })
    const tokens = new Map<string, string>()
    for (const task of tasks) tokens.set(task, await readOrCreate(join(folder, PROXY_FILES.tokens, task)))
    return { operator: await readOrCreate(join(folder, PROXY_FILES.operator)), tokens }
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause) || cause.code === 'CONFIGURATION') throw cause
    throw misconfigured(`folder ${folder}: cannot be used (${cause.code})`, cause)
  }
}

async function readOrCreate(path: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  try {
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

/** Deletes the published address, so that no later listener there receives the password. Keeps that of another proxy. */
export async function withdrawAddress(folder: string, address: string): Promise<void> {
  const path = join(folder, PROXY_FILES.address)
  if ((await readFile(path, 'utf8').catch(() => null)) === address) await rm(path)
}

/** Returns the folders of all accounts' proxies. */
export async function listProxyFolders(env: Environment): Promise<string[]> {
  return (await listState(env, 'proxy', PROXY_FILES.address)).map(dirname)
}
