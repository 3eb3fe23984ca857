import { mkdir, readdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { isRecord } from '@touchstone402/shared'
import { misconfigured } from '../errors.ts'
import { createEvent } from '../events.ts'
import type { GuardOptions } from '../integrations/guardOptions.ts'
import { createMemoryLedger } from '../ledger/journal.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createFileLedger } from './fileLedger.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** A ledger that can be closed. */
export type OpenedLedger = Ledger & { close(): Promise<void> }

/** Options of {@link openDefaultLedger}. */
export type DefaultLedgerOptions = {
  /** @default process.env */
  env?: Environment
  /** Receives the warning that the ledger is in memory, with the reason. @default standard error */
  warn?: (line: string) => void
}

const ADDRESS = /^0x[0-9a-f]{40}$/
const FILE = 'spending.jsonl'
/** Codes of places that cannot be written, as on read-only disks and without a home. */
const UNWRITABLE = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOENT', 'ENOTDIR', 'ERR_SYSTEM_ERROR']

/** Whether a ledger is a database and not a file. */
export const isDatabase = (ledger: string): boolean => /^postgres(ql)?:\/\//.test(ledger)

/**
 * Opens the ledger that all programs with one account share: that of TOUCHSTONE_LEDGER, a path or the URL of a
 * PostgreSQL ledger, else `touchstone/<payer>/spending.jsonl` under XDG_STATE_HOME or `~/.local/state`. If that default
 * cannot be written, the ledger is in memory, `path` is null, and one warning is written.
 * @param payer address of the account
 * @throws ConfigurationError if a given ledger cannot be opened, or any is damaged or open to others
 */
export async function openDefaultLedger(
  payer: string,
  options: DefaultLedgerOptions = {},
): Promise<{ ledger: OpenedLedger; path: string | null }> {
  const { env = process.env } = options
  const { TOUCHSTONE_LEDGER: given } = env
  if (given) return { ledger: await openLedgerAt(given), path: given }
  const name = payer.toLowerCase()
  if (!ADDRESS.test(name)) throw misconfigured('ledger: the account has no address to name its ledger by')
  try {
    const path = join(stateFolder(env), name, FILE)
    return { ledger: await openLedgerAt(path), path }
  } catch (error) {
    const code = codeOf(error)
    if (!UNWRITABLE.includes(code)) throw error
    const { warn = (line) => void process.stderr.write(`${line}\n`) } = options
    warn(
      `The spending of this account is kept in memory, since its ledger cannot be written (${code}); set TOUCHSTONE_LEDGER.`,
    )
    return { ledger: { ...createMemoryLedger(), close: async () => {} }, path: null }
  }
}

/** Methods that wait until the ledger is open. */
const WAITING = ['refresh', 'reserve', 'update', 'readPayment', 'clear', 'setStopped', 'isStopped']

/** Opened ledgers of this process by their place, which all guards share. */
const shared = new Map<string, Promise<Ledger>>()

/**
 * Creates the ledger of {@link openDefaultLedger}, opened when it is first asked, once in this process. What needs no
 * waiting, such as a look-up before a request, knows nothing until then.
 */
export function createDefaultLedger(payer: string, options: DefaultLedgerOptions = {}): Ledger {
  let ledger: Ledger = createMemoryLedger()
  const { TOUCHSTONE_LEDGER, XDG_STATE_HOME, HOME } = options.env ?? process.env
  const place = JSON.stringify([payer.toLowerCase(), TOUCHSTONE_LEDGER, XDG_STATE_HOME, HOME])
  const open = async () => {
    const opening = shared.get(place) ?? openDefaultLedger(payer, options).then((opened) => opened.ledger)
    shared.set(place, opening)
    ledger = await opening.catch((error: unknown) => {
      shared.delete(place)
      throw error
    })
    return ledger
  }
  const methods = Object.keys(ledger).map((name) => {
    const call = (to: Ledger, given: unknown[]) => Reflect.apply(Reflect.get(to, name), to, given)
    const ask = async (...given: unknown[]) => call(await open(), given)
    return [name, WAITING.includes(name) ? ask : (...given: unknown[]) => call(ledger, given)]
  })
  // A ledger that cannot be opened is reported by the next reservation.
  const note: Ledger['note'] = (event) =>
    void open().then(
      (opened) => opened.note(event),
      () => {},
    )
  return { ...Object.fromEntries(methods), note }
}

/** Adds the default ledger of the account to options that name none. In memory it is the event `ledger_in_memory`. */
export function withDefaultLedger<Options extends Pick<GuardOptions, 'account' | 'ledger' | 'onDecision'>>(
  options: Options,
): Options {
  if (options?.ledger !== undefined) return options
  const warn = (line: string) => {
    console.warn(`@touchstone402/guard: ${line}`)
    const event = createEvent({ type: 'ledger_in_memory', reason: line }, Date.now())
    ;(async () => options.onDecision?.(event))().catch(() => {})
  }
  return { ...options, ledger: createDefaultLedger(String(options?.account?.address), { warn }) }
}

/** Opens a ledger by its path or URL; creates the folder of a file, readable by its owner only. */
export async function openLedgerAt(place: string): Promise<OpenedLedger> {
  if (!isDatabase(place)) {
    await mkdir(dirname(place), { recursive: true, mode: 0o700 }).catch((cause) => {
      throw misconfigured(`ledger ${place}: cannot create its folder (${codeOf(cause)})`, cause)
    })
    return createFileLedger(place)
  }
  if (!URL.canParse(place)) throw misconfigured('ledger: invalid URL')
  const url = new URL(place)
  const name = url.searchParams.get('ledger')
  url.searchParams.delete('ledger')
  // Imported when asked for: pg is optional.
  const { createPostgresLedger } = await import('./postgres/postgresLedger.ts')
  return createPostgresLedger({ url: url.href, ...(name !== null && { name }) })
}

/** Lists the default ledgers of all accounts. */
export const listDefaultLedgers = (env: Environment): Promise<string[]> => listState(env, FILE)

/** Lists a file of the state of each account that has it. @param names its folders and its name */
export async function listState(env: Environment, ...names: string[]): Promise<string[]> {
  const folder = stateFolder(env)
  const payers = await readdir(folder).catch((): string[] => [])
  const paths = payers.filter((name) => ADDRESS.test(name)).map((name) => join(folder, name, ...names))
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => null)))
  return paths.filter((_, index) => found[index] !== null)
}

/** Returns the folder of the state of all accounts. */
export function stateFolder({ XDG_STATE_HOME: state, HOME }: Environment): string {
  // Source: XDG Base Directory Specification, a relative path is ignored.
  return join(state && isAbsolute(state) ? state : join(HOME || homedir(), '.local', 'state'), 'touchstone')
}

function codeOf(error: unknown): string {
  for (let cause = error; isRecord(cause); cause = cause.cause) {
    if (typeof cause.code === 'string' && cause.code !== 'CONFIGURATION') return cause.code
  }
  return ''
}
