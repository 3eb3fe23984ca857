import { approve, proxyPage } from './approve.ts'
import { check } from './check.ts'
import { exportPayments } from './exportPayments.ts'
import type { CommandLine, Io } from './io.ts'
import { followLog, proveLog, watchLog } from './log.ts'
import { checkMap, mapInfo, pullMap } from './map.ts'
import { mcp } from './mcp.ts'
import { pay } from './pay.ts'
import { proxy } from './proxy.ts'
import { compact, explain, receipts, replay, verify } from './records.ts'
import { budget, pins, reconcile, stop, strikes } from './spending.ts'

type Command = {
  usage: string
  /** Describes the command, its exit codes and the fields of `--json`, with an example. */
  help: string
  run: (line: CommandLine, io: Io) => Promise<number>
}

/** How the command is called. */
export const NAME = 'npx @touchstone402/guard'
const LEDGER = `The ledger is --ledger, or TOUCHSTONE_LEDGER: a file, or a PostgreSQL database as
postgres://user@host/database?ledger=name, which needs pg. A URL with a password belongs into TOUCHSTONE_LEDGER.
Otherwise all programs with one account share touchstone/<address>/spending.jsonl under XDG_STATE_HOME or
~/.local/state; if that cannot be written, spending is kept in memory, and a warning says so.`
const FOUND = `${LEDGER}
Without a key the command takes the one ledger that there is.`

const RPC = `RPC endpoints are given by --rpc eip155:8453=https://your-rpc.example, or a URL alone for Base; else by RPC_URLS, comma-separated.
Several of one network must agree. One is trusted to say that an amount is free again.`

const LOG = `--key (or TOUCHSTONE_LOG_KEY) is the log's public key; --witness (or TOUCHSTONE_LOG_WITNESSES, comma-separated) are
public keys of witnesses, of which --quorum must have cosigned within two hours (by default more than half). The last
checkpoint is kept in the file --memory, by default in the home folder.
Exit code: 0 proven, 1 refused: the log lacks a proof, a witness, or shows two histories.
To re-judge the published probes and compare, use touchstone-server log recompute <url>, which holds the score.`
const LOG_OPTIONS =
  '[--key <key>] [--witness <key>]... [--quorum <n>] [--memory <file>] [--service <url>] [--json]'

const MAP = `The map is the file --file, or TOUCHSTONE_MAP, or ~/.touchstone/map. With TOUCHSTONE_MODE=map the commands check, pay and mcp
decide by it, and no request names an endpoint.`

/** The commands, by name. */
export const COMMANDS: Record<string, Command> = {
  check: {
    usage: 'check <url> [--policy <file>] [--service <url>] [--json]',
    help: `Shows the signed verdict of an endpoint, and why. Without a service, runs the checks of scan on this machine and says
what the policy would do, without a history.
Exit code: 0 safe, 1 caution, 2 avoid, 3 unknown or unavailable. Without a service: 0 it would be paid, 1 the policy refuses,
2 a critical fault, 3 no answer.
JSON: endpoint, state, verdict (as signed), why (a sentence for each flag), terms (with maxUsd); or detail if unavailable;
without a service endpoint, state (local), ok, failure, policy (pays, offered, code, reason; null without a price), checks.

  ${NAME} check https://api.example.com/weather
  ${NAME} check https://api.example.com/weather --json`,
    run: check,
  },
  scan: {
    usage: 'scan <url> [--json | --sarif [--file <path>]]',
    help: `Asks an endpoint for its terms without paying, and checks them on this machine, without the service. For sellers.
With --sarif results are shown at the URL, or at the file --file of the repository, which code scanning needs.
Exit code: 0 nothing critical, 1 a critical fault.
JSON: endpoint, ok, stack, failure (why there was no answer, or null), checks (id, outcome, severity, title, detail; fix
and recipe where it failed); with --sarif SARIF 2.1.0.

  ${NAME} scan https://api.example.com/weather
  ${NAME} scan https://api.example.com/weather --sarif > scan.sarif`,
    // Apart from the other commands, which need none of its tables.
    run: async (line, io) => (await import('./scan.ts')).scan(line, io),
  },
  pay: {
    usage:
      "pay <url> [--max-usd <dollars>] [--method <m>] [--header 'Name: value']... [--data <body>] [--data-binary <body>] [--policy <file>] [--ledger <file>] [--service <url>] [--rpc <network=url>]... [--json]",
    help: `Calls an endpoint and pays for it if the policy allows.
Prints the bytes of the answer as they come, so that pay <url> > file.png is the file.
With --data the method is POST by default, and the type application/json if it is JSON, else that of a form. As with curl,
--data @file sends a file without its line ends, --data-binary @file all its bytes, and @- the standard input.
The key comes from PRIVATE_KEY, or from the file PRIVATE_KEY_FILE of mode 600.
${LEDGER}
${RPC}
Exit code: 0 answered (2xx), 1 refused or failed, and no payment was sent, 2 a payment was sent and got no complete 2xx:
do what the remedy says. The same call sends the same payment again.
JSON: paid, amountUsd (null if nothing was signed), state (none, signed, sent, settled), paymentId, transaction, remaining
and resetsAt (of the day, or of the limit that refused), code, reason, remedy, flags, limit, offered, profileUrl, liveCheck
(amountUsd, state, paymentId), status, contentType, content (at most 1 MiB of the body), encoding (base64 if the body is no text), file (of tools) and isCut.
Fields that do not apply are null.

  PRIVATE_KEY_FILE=~/.agent-key ${NAME} pay https://api.example.com/weather --max-usd 0.05
  PRIVATE_KEY_FILE=~/.agent-key ${NAME} pay https://api.example.com/translate --data '{"text":"hi"}'`,
    run: pay,
  },
  budget: {
    usage: 'budget [--policy <file>] [--ledger <file>] [--json]',
    help: `Shows what is spent, reserved and left of each budget.
${FOUND}
JSON: isStopped, perPaymentUsd, and day, total, unknown, hosts, receivers and unknownDomains, whose lines have limitUsd,
spentUsd, reservedUsd, remainingUsd and resetsAt.

  ${NAME} budget --policy policy.json`,
    run: budget,
  },
  strikes: {
    usage: 'strikes [--clear <host>] [--ledger <file>] [--json]',
    help: `Lists endpoints that were paid and did not deliver, or forgets those of a host.
${FOUND}
JSON: cleared (a host or null), strikes (endpoint and at, in ms since 1970).

  ${NAME} strikes --clear api.example.com`,
    run: strikes,
  },
  pins: {
    usage: 'pins [--clear <host>] [--ledger <file>] [--json]',
    help: `Lists the pinned receivers, or forgets those of a host.
${FOUND}
JSON: cleared (a host or null), pins (endpoint, network, asset and payTo).

  ${NAME} pins --clear api.example.com`,
    run: pins,
  },
  stop: {
    usage: 'stop [--resume] [--ledger <file>] [--json]',
    help: `Stops the payments of every process that shares the ledger, before the next signature. --resume allows them again.
A file STOP beside the ledger does the same.
${FOUND}
JSON: isStopped.

  ${NAME} stop`,
    run: stop,
  },
  mcp: {
    usage:
      'mcp [--policy <file>] [--ledger <file>] [--service <url>] [--files <folder>] [--rpc <network=url>]... [--port <n>] [--token-file <path>] [--allow-private-hosts] [--json]',
    help: `Serves the guard's tools over MCP: on standard input and output, or with --port as Streamable HTTP on this
machine, where --json prints the address as JSON. Pays only with PRIVATE_KEY or PRIVATE_KEY_FILE. Reaches public
addresses, and the service if there is one; with --allow-private-hosts, for development, also private ones.
Answers that are no text or exceed 256 KiB go to files of mode 600 in the folder --files; without it, they are returned as
base64, or cut.
With --port each request needs the header Authorization: Bearer <token>. The token is the content of --token-file, which is
created with mode 600 if it is missing, by default touchstone/<address>/mcp/tokens/mcp beside the ledger; touchstone/mcp
without a key. Payments that need approval then wait for the command approve; on standard input the client asks its person.
${RPC}
${LEDGER}
JSON: url, tokenFile.

  PRIVATE_KEY_FILE=~/.agent-key ${NAME} mcp --ledger spending.jsonl`,
    run: mcp,
  },
  proxy: {
    usage:
      'proxy [--task <name=dollars>]... [--policy <file>] [--ledger <file>] [--service <url>] [--port <n>] [--socket <path>] [--group <name>] [--folder <path>] [--allow-host <host>]... [--rpc <network=url>]... [--sign] [--json]',
    help: `Pays for programs in every language: they call http://127.0.0.1:4402/https://api.example.com/weather with the header
Touchstone-Token, and never see the key. Each --task has a token and a budget over the life of the ledger; without one
there is the task "default" of $5.00. Tokens and the operator's secret are files of the folder --folder, by default
touchstone/<address>/proxy beside the ledger. Listens on 127.0.0.1 at --port (4402), or on --socket, whose --group may use it.
Targets are public addresses and those of --allow-host. With --sign calls are not paid; agents get the approved 402, and
their payment library signs by POST /sign. The page at / shows budgets, approvals and decisions, and has STOP; proxy page
prints its password.
What an agent was given to sign stays spent until the chain proves that it expired unused; with an RPC endpoint the proxy
asks every ten minutes.
The key comes from PRIVATE_KEY_FILE, a file of mode 600, or PRIVATE_KEY. SIGTERM ends it.
${RPC}
${LEDGER}
JSON: address, payer, folder, ledger (or null), tokens (the files of the tokens).

  PRIVATE_KEY_FILE=~/.agent-key ${NAME} proxy --task research=2.00 --policy policy.json`,
    run: proxy,
  },
  'proxy page': {
    usage: 'proxy page [--folder <path>] [--json]',
    help: `Prints the address of the page of a running proxy, and its password. The password holds until that proxy ends; any
user name goes with it. The proxy proves itself first.
JSON: url, password.

  ${NAME} proxy page`,
    run: proxyPage,
  },
  approve: {
    usage: 'approve [<id>] [--refuse] [--show] [--folder <path>] [--json]',
    help: `Lists the payments that wait for the operator of a proxy or of mcp --port, or approves one of them: an equal call is
then paid once. --refuse refuses it, and --show prints all of it, with the whole body, and answers nothing. The proxy proves
itself first; the operator's secret is never sent.
JSON: pending (id, task, question, state, expiresAt in ms since 1970); or id and state; with --show approval and body
(in Base64, or null).

  ${NAME} approve 3f9a0c51b2de --show
  ${NAME} approve 3f9a0c51b2de`,
    run: approve,
  },
  'log follow': {
    usage: `log follow ${LOG_OPTIONS}`,
    help: `Checks that the service's log continues the saved checkpoint, and saves its newest one.
${LOG}
JSON: origin, size, before (leaves seen before), witnesses.

  ${NAME} log follow --key trust.example/log+1a2b3c4d+AZ...`,
    run: followLog,
  },
  'log prove': {
    usage: `log prove <url> [--out <file>] ${LOG_OPTIONS}`,
    help: `Writes a proof that the log holds the newest decision on an endpoint. It verifies offline (C2SP tlog-proof).
${LOG}
JSON: path, index, leaf, opening.

  ${NAME} log prove https://api.example.com/weather --out weather.tlog-proof`,
    run: proveLog,
  },
  'log watch': {
    usage: `log watch <host> [--from <index>] ${LOG_OPTIONS}`,
    help: `Lists every decision, incident and test purchase that the log holds on a host, and checks each against the
checkpoint.
${LOG}
JSON: one line a leaf, with index, kind, at and its fields.

  ${NAME} log watch api.example.com`,
    run: watchLog,
  },
  'map pull': {
    usage: 'map pull [--file <file>] [--service <url>] [--json]',
    help: `Fetches the newest map of all verdicts.
${MAP}
JSON: version, entries, bytes, sha256, issuedAt and expiresAt (ms since 1970), scoreVersion, lastError.

  ${NAME} map pull`,
    run: pullMap,
  },
  'map check': {
    usage: 'map check <url> [--file <file>] [--service <url>] [--json]',
    help: `Shows what the map says of an endpoint, without a request.
${MAP}
Exit code: 0 safe, 1 caution, 2 avoid, 3 unknown or unavailable.
JSON: as check.

  ${NAME} map check https://api.example.com/weather`,
    run: checkMap,
  },
  'map info': {
    usage: 'map info [--file <file>] [--service <url>] [--json]',
    help: `Describes the map of the file, without a request.
${MAP}
Exit code: 0, or 3 without a map.
JSON: as map pull, or null.

  ${NAME} map info`,
    run: mapInfo,
  },
  'policy explain': {
    usage: 'policy explain [--policy <file>] [--json]',
    help: `Describes a policy, or the defaults, in plain sentences.
JSON: policy (with defaults), lines.

  ${NAME} policy explain --policy policy.json`,
    run: explain,
  },
  'policy replay': {
    usage: 'policy replay --policy <file> <ledger> [--json]',
    help: `Shows which recorded payments another policy would have blocked or allowed.
JSON: payments, blocked (at, endpoint, amountUsd, code), asked, allowed (at, endpoint, amountUsd), savedUsd.

  ${NAME} policy replay --policy stricter.json spending.jsonl`,
    run: replay,
  },
  'ledger verify': {
    usage: 'ledger verify <ledger> [--json]',
    help: `Checks a ledger for missing or changed lines, and amounts below 0. A file that is no ledger, a symbolic link, and a file
that every user can write are refused.
Exit code: 0 intact, 1 broken, 64 refused.
JSON: ok, files, lines, unreadable, writers, brokenIn, brokenAt and reason (file, line, and what is wrong; or null),
events (their number).

  ${NAME} ledger verify spending.jsonl`,
    run: verify,
  },
  'ledger reconcile': {
    usage: 'ledger reconcile [--rpc <network=url>]... [--ledger <file>] [--json]',
    help: `Reads from the chain what became of payments that are not resolved. What was settled stays spent. What expired unused is
released, if a finalized block proves it: ten minutes after the end of the authorization, by a block that is at most an hour old.
${RPC}
${FOUND}
JSON: settled, unused and open (their numbers), kept (id and why, of those that stay open).

  ${NAME} ledger reconcile --rpc https://mainnet.base.org`,
    run: reconcile,
  },
  'ledger receipts': {
    usage: 'ledger receipts <ledger> [--json]',
    help: `Lists the receipts that receivers have signed, and the offers that sellers have signed.
JSON: receipts (at, endpoint, payment, transaction, offerProof and receipt, with their signatures).

  ${NAME} ledger receipts spending.jsonl`,
    run: receipts,
  },
  'ledger export': {
    usage: 'ledger export <ledger> [--csv | --json] [--from <time>] [--to <time>]',
    help: `Lists the payments of a ledger for accounting, one row each, as CSV (RFC 4180) or JSON. --from is included and --to is
not; both are days such as 2026-11-01, which begin at midnight UTC, or times such as 2026-11-01T12:00:00Z.
The verdict is that of the decision. State: settled; sent and unresolved, which count as spent, since the seller may
collect them; reserved, which was not sent; released, which cost nothing. What a ledger has not recorded is empty.
A cell that a spreadsheet would take for a formula begins with an apostrophe.
JSON: payments (time, host, task, amountUsd, network, asset, receiver, transaction, verdict, state, id).

  ${NAME} ledger export spending.jsonl --csv --from 2026-11-01 --to 2026-12-01`,
    run: exportPayments,
  },
  'ledger compact': {
    usage: 'ledger compact <ledger> [--json]',
    help: `Seals the file of a ledger and continues in a new one, which opens fast. Happens by itself every 20,000 lines.
The old file is needed for audits only.
JSON: lines (of all files before), files.

  ${NAME} ledger compact spending.jsonl`,
    run: compact,
  },
}
