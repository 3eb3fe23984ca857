import { parseArgs } from 'node:util'
import {
  type Command,
  type CommandDeclaration,
  defineCommand,
  flag,
  type Inputs,
  listOption,
  option,
} from '@touchstone402/shared/command-line'
import type { Io } from './io.ts'

/** Command of the program, as the help shows it. */
export const NAME = 'npx @touchstone402/guard'
/** Help of commands that open a ledger. */
export const LEDGER = `The ledger is --ledger, or TOUCHSTONE_LEDGER: a file, or a PostgreSQL database as
postgres://user@host/database?ledger=name, which needs pg. A URL with a password belongs into TOUCHSTONE_LEDGER.
Otherwise all programs with one account share touchstone/<address>/spending.jsonl under XDG_STATE_HOME or
~/.local/state; if that cannot be written, spending is kept in memory, and a warning says so.`
/** The same, for a command that needs no key. */
export const FOUND = `${LEDGER}
Without a key the command takes the one ledger that there is.`

/** Help of commands that take RPC endpoints. */
export const RPC = `An RPC endpoint is eip155:8453=https://your-rpc.example, or a URL alone for Base; RPC_URLS is comma-separated. Several of one network must agree. One is trusted to say that an amount is free again.`

/** Inputs that several commands take. */
export const JSON_FLAG = flag('prints the result as JSON')
export const POLICY = option('<file>', 'policy as JSON; without it, careful defaults')
export const LEDGER_OPTION = option('<file>', 'ledger; default TOUCHSTONE_LEDGER, or that of the account')
export const SERVICE = option('<url>', 'Touchstone service; default TOUCHSTONE_URL')
export const RPC_OPTION = listOption('<network=url>', 'RPC endpoint; default those of RPC_URLS')

/** Creates a command of this program. */
export const command = <Takes extends Inputs>(
  name: string,
  declaration: Omit<CommandDeclaration<Takes, Io, number>, 'name'>,
): Command<Io, number> => defineCommand<Takes, Io, number>({ ...declaration, name }, parseArgs)
