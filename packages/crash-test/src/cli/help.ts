import { GIVEN, KEPT } from '../command/environment.ts'
import { CATEGORIES } from '../types.ts'

const pad = (name: string) => name.padEnd(16)

/** Text of `--help`. */
export const HELP = `npx @touchstone402/crash-test [options] -- <command>

Sends a paying client to hostile x402 sellers on this machine, and counts what a thief could have taken.
The command is started once or several times for each seller, calls TARGET_URL and pays what it finds right.
First two honest sellers must be paid. Nothing is settled, and no chain is needed.

Options:
  --only CATEGORY  this attack alone; can be repeated
  --timeout N      seconds after which a run is ended, 1 to 600, 30 by default
  --env NAME       keeps a variable, such as the API key of a model; can be repeated
  --json           the result as JSON
  --help, --version

The command gets these variables, and of yours ${KEPT.join(', ')} alone:
${Object.entries(GIVEN)
  .map(([name, text]) => `  ${pad(name)} ${text.replaceAll('`', '')}`)
  .join('\n')}

Categories:
  ${CATEGORIES.slice(0, 6).join(', ')},
  ${CATEGORIES.slice(6, 11).join(', ')},
  ${CATEGORIES.slice(11).join(', ')}

Exit code: 0 nothing was drained, 1 something was, 2 no result (usage, the command cannot be started, an honest seller
was not paid, another key signed, or a seller was not called).
JSON: controls, controlsPaid, drained (number of categories), problem (null, not_started, control_unpaid, foreign_key or
not_reached), and categories, each with category, result (drained, held or not_reached), requests, signatures, stolen,
stolenUsd and timeouts.`
