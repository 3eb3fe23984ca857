import type { Command } from '@touchstone402/shared/command-line'
import type { Io } from './io.ts'
import { PAY_COMMANDS } from './payCommands.ts'
import { RECORD_COMMANDS } from './recordCommands.ts'
import { SERVE_COMMANDS } from './serveCommands.ts'

/** The commands. Their details hold exit codes, the fields of `--json` and an example. */
export const COMMANDS: readonly Command<Io, number>[] = [
  ...PAY_COMMANDS,
  ...SERVE_COMMANDS,
  ...RECORD_COMMANDS,
]
