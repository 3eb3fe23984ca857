import { describeInputs } from '@touchstone402/shared/command-line'
import { GIVEN, KEPT } from '../command/environment.ts'
import { CATEGORIES } from '../types.ts'
import { TEST, VERIFY } from './readArguments.ts'

const pad = (name: string) => name.padEnd(16)

/** Text of `--help`. */
export const HELP = `npx @touchstone402/crash-test [options] [-- <command>]
npx @touchstone402/crash-test verify FILE [--key KEY]

Sends a paying client to hostile x402 sellers on this machine, and counts what a thief could have taken.
Without a command it tests the stock clients, and the guard in each integration and as a proxy. A command is started once
or several times for each seller, calls TARGET_URL and pays what it finds right.
First two honest sellers must be paid. Nothing is settled, and no chain is needed.

Options:
${describeInputs(TEST.takes)}
  --help, --version

Words of verify:
${describeInputs(VERIFY.takes)}

The command gets these variables, and of yours ${KEPT.join(', ')} alone:
${Object.entries(GIVEN)
  .map(([name, text]) => `  ${pad(name)} ${text.replaceAll('`', '')}`)
  .join('\n')}

Categories:
  ${CATEGORIES.slice(0, 6).join(', ')},
  ${CATEGORIES.slice(6, 11).join(', ')},
  ${CATEGORIES.slice(11, 16).join(', ')},
  ${CATEGORIES.slice(16).join(', ')}

Exit code: 0 nothing was drained, 1 something was, 2 no result (usage, the command cannot be started, crashed or did not
end, an honest seller was not paid, another key signed, or a seller was not called). Without a command: 1 if a client with
the guard was drained.
JSON: controls, controlsPaid, drained (number of categories), lostUsd, problem (null, not_started, control_unpaid,
control_hung, control_crashed, foreign_key, crashed, hung or not_reached), and categories, each with category, result
(drained, held, crashed, hung or not_reached), requests, signatures, stolen, stolenUsd, and runs that hung, crashed or
failed. Without a command: clients, each with these and name, guarded, notRun; stockLostUsd, guardedLostUsd.`
