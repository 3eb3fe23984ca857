import { flag, listOption, option, requiredOption, word } from '@touchstone402/shared/command-line'
import {
  command,
  FOUND,
  JSON_FLAG,
  LEDGER_OPTION,
  NAME,
  POLICY,
  RPC,
  RPC_OPTION,
  SERVICE,
} from './declare.ts'

const LOG = `Witnesses must have cosigned within two hours. TOUCHSTONE_LOG_WITNESSES is comma-separated.
Exit code: 0 proven, 1 refused: the log lacks a proof, a witness, or shows two histories.
To re-judge the published probes and compare, use touchstone-server log recompute <url>, which holds the score.`
const MAP = `With TOUCHSTONE_MODE=map the commands check, pay and mcp decide by the map, and no request names an endpoint.`

const LEDGER_FILE = word(
  '<ledger>',
  'file of the ledger; that of an account is ~/.local/state/touchstone/<account>/spending.jsonl',
)
const MAP_FILE = option('<file>', 'file of the map; default TOUCHSTONE_MAP, or ~/.touchstone/map')
const LOG_OPTIONS = {
  key: option('<key>', 'public key of the log; default TOUCHSTONE_LOG_KEY'),
  witness: listOption('<key>', 'public key of a witness; default TOUCHSTONE_LOG_WITNESSES'),
  quorum: option('<n>', 'number of witnesses that must have cosigned; default more than half'),
  memory: option('<file>', 'file that keeps the last checkpoint; default one in the home folder'),
  service: SERVICE,
  json: JSON_FLAG,
}

/** Commands that read what was recorded: the log, the map, policies and ledgers. Each loads only what it needs. */
export const RECORD_COMMANDS = [
  command('log follow', {
    about: "Checks that the service's log continues the saved checkpoint, and saves its newest one.",
    details: `${LOG}
JSON: origin, size, before (leaves seen before), witnesses.

  ${NAME} log follow --key trust.example/log+1a2b3c4d+AZ...`,
    takes: {
      ...LOG_OPTIONS,
    },
    run: async (given, io) => (await import('./log.ts')).followLog(given, io),
  }),
  command('log prove', {
    about: 'Writes a proof that the log holds the newest decision on an endpoint.',
    details: `It verifies offline (C2SP tlog-proof).
${LOG}
JSON: path, index, leaf, opening.

  ${NAME} log prove https://api.example.com/weather --out weather.tlog-proof`,
    takes: {
      url: word('<url>', 'the endpoint, such as https://api.example.com/weather'),
      out: option('<file>', 'file of the proof; default HOST-INDEX.tlog-proof'),
      ...LOG_OPTIONS,
    },
    run: async (given, io) => (await import('./log.ts')).proveLog(given, io),
  }),
  command('log watch', {
    about:
      'Lists every decision, incident and test purchase that the log holds on a host, and checks each against the checkpoint.',
    details: `${LOG}
JSON: one line a leaf, with index, kind, at and its fields.

  ${NAME} log watch api.example.com`,
    takes: {
      host: word('<host>', 'the host, such as api.example.com'),
      from: option('<index>', 'first log entry to read; default 0'),
      ...LOG_OPTIONS,
    },
    run: async (given, io) => (await import('./log.ts')).watchLog(given, io),
  }),
  command('map pull', {
    about: 'Fetches the newest map of all verdicts.',
    details: `${MAP}
JSON: version, entries, bytes, sha256, issuedAt and expiresAt (ms since 1970), scoreVersion, lastError.

  ${NAME} map pull`,
    takes: {
      file: MAP_FILE,
      service: SERVICE,
      json: JSON_FLAG,
    },
    run: async (given, io) => (await import('./map.ts')).pullMap(given, io),
  }),
  command('map check', {
    about: 'Shows what the map says of an endpoint, without a request.',
    details: `${MAP}
Exit code: 0 safe, 1 caution, 2 avoid, 3 unknown or unavailable.
JSON: as check.

  ${NAME} map check https://api.example.com/weather`,
    takes: {
      url: word('<url>', 'the endpoint, such as https://api.example.com/weather'),
      file: MAP_FILE,
      service: SERVICE,
      json: JSON_FLAG,
    },
    run: async (given, io) => (await import('./map.ts')).checkMap(given, io),
  }),
  command('map info', {
    about: 'Describes the map of the file, without a request.',
    details: `${MAP}
Exit code: 0, or 3 without a map.
JSON: as map pull, or null.

  ${NAME} map info`,
    takes: {
      file: MAP_FILE,
      service: SERVICE,
      json: JSON_FLAG,
    },
    run: async (given, io) => (await import('./map.ts')).mapInfo(given, io),
  }),
  command('policy explain', {
    about: 'Describes a policy, or the defaults, in plain sentences.',
    details: `JSON: policy (with defaults), lines.

  ${NAME} policy explain --policy policy.json`,
    takes: {
      policy: POLICY,
      json: JSON_FLAG,
    },
    run: async (given, io) => (await import('./records.ts')).explain(given, io),
  }),
  command('policy replay', {
    about: 'Shows which recorded payments another policy would have blocked or allowed.',
    details: `JSON: payments, blocked (at, endpoint, amountUsd, code), asked, allowed (at, endpoint, amountUsd), savedUsd.

  ${NAME} policy replay --policy stricter.json spending.jsonl`,
    takes: {
      ledger: LEDGER_FILE,
      policy: requiredOption('<file>', 'the other policy'),
      json: JSON_FLAG,
    },
    run: async (given, io) => (await import('./records.ts')).replay(given, io),
  }),
  command('ledger verify', {
    about: 'Checks a ledger for missing or changed lines, and amounts below 0.',
    details: `A file that is no ledger, a symbolic link, and a file
that every user can write are refused.
Exit code: 0 intact, 1 broken, 64 refused.
JSON: ok, files, lines, unreadable, writers, brokenIn, brokenAt and reason (file, line, and what is wrong; or null),
events (their number).

  ${NAME} ledger verify spending.jsonl`,
    takes: {
      ledger: LEDGER_FILE,
      json: JSON_FLAG,
    },
    run: async (given, io) => (await import('./records.ts')).verify(given, io),
  }),
  command('ledger reconcile', {
    about: 'Reads from the chain what became of payments that are not resolved.',
    details: `What was settled stays spent. What expired unused is
released, if a finalized block proves it: ten minutes after the end of the authorization, by a block that is at most an hour old.
${RPC}
${FOUND}
JSON: settled, unused and open (their numbers), kept (id and why, of those that stay open).

  ${NAME} ledger reconcile --rpc https://mainnet.base.org`,
    takes: {
      rpc: RPC_OPTION,
      ledger: LEDGER_OPTION,
      json: JSON_FLAG,
    },
    run: async (given, io) => (await import('./spending.ts')).reconcile(given, io),
  }),
  command('ledger receipts', {
    about: 'Lists the receipts that receivers have signed, and the offers that sellers have signed.',
    details: `JSON: receipts (at, endpoint, payment, transaction, offerProof and receipt, with their signatures).

  ${NAME} ledger receipts spending.jsonl`,
    takes: {
      ledger: LEDGER_FILE,
      json: JSON_FLAG,
    },
    run: async (given, io) => (await import('./records.ts')).receipts(given, io),
  }),
  command('ledger export', {
    about: 'Lists the payments of a ledger for accounting, one row each, as CSV (RFC 4180) or JSON.',
    details: `--from is included and --to is
not; both are days such as 2026-11-01, which begin at midnight UTC, or times such as 2026-11-01T12:00:00Z.
The verdict is that of the decision. State: settled; sent and unresolved, which count as spent, since the seller may
collect them; reserved, which was not sent; released, which cost nothing. What a ledger has not recorded is empty.
A cell that a spreadsheet would take for a formula begins with an apostrophe.
JSON: payments (time, host, task, amountUsd, network, asset, receiver, transaction, verdict, state, id).

  ${NAME} ledger export spending.jsonl --csv --from 2026-11-01 --to 2026-12-01`,
    takes: {
      ledger: LEDGER_FILE,
      csv: flag('prints CSV, the default'),
      json: JSON_FLAG,
      from: option('<time>', 'first time, included'),
      to: option('<time>', 'last time, not included'),
    },
    run: async (given, io) => (await import('./exportPayments.ts')).exportPayments(given, io),
  }),
  command('ledger compact', {
    about: 'Seals the file of a ledger and continues in a new one, which opens fast.',
    details: `Happens by itself every 20,000 lines.
The old file is needed for audits only.
JSON: lines (of all files before), files.

  ${NAME} ledger compact spending.jsonl`,
    takes: {
      ledger: LEDGER_FILE,
      json: JSON_FLAG,
    },
    run: async (given, io) => (await import('./records.ts')).compact(given, io),
  }),
]
