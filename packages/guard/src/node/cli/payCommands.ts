import { flag, listOption, option, word } from '@touchstone402/shared/command-line'
import {
  command,
  FOUND,
  JSON_FLAG,
  LEDGER,
  LEDGER_OPTION,
  NAME,
  POLICY,
  RPC,
  RPC_OPTION,
  SERVICE,
} from './declare.ts'

/** Commands that check and pay, and what they have spent. Each loads only what it needs. */
export const PAY_COMMANDS = [
  command('check', {
    about: 'Shows the signed verdict of an endpoint, and why.',
    details: `Without a service, runs the checks of scan on this machine and says
what the policy would do, without a history.
Exit code: 0 safe, 1 caution, 2 avoid, 3 unknown or unavailable. Without a service: 0 it would be paid, 1 the policy refuses,
2 a critical fault, 3 no answer.
JSON: endpoint, state, verdict (as signed), why (a sentence for each flag), terms (with maxUsd); or detail if unavailable;
without a service endpoint, state (local), ok, failure, policy (pays, offered, code, reason; null without a price), checks.

  ${NAME} check https://api.example.com/weather
  ${NAME} check https://api.example.com/weather --json`,
    takes: {
      url: word('<url>', 'the endpoint, such as https://api.example.com/weather'),
      policy: POLICY,
      service: SERVICE,
      json: JSON_FLAG,
    },
    run: async (given, io) => (await import('./check.ts')).check(given, io),
  }),
  command('scan', {
    about:
      'Asks an endpoint for its terms without paying, and checks them on this machine, without the service.',
    details: `For sellers.
With --sarif results are shown at the URL, or at the file --file of the repository, which code scanning needs.
Exit code: 0 nothing critical, 1 a critical fault.
JSON: endpoint, ok, stack, failure (why there was no answer, or null), checks (id, outcome, severity, title, detail; fix
and recipe where it failed); with --sarif SARIF 2.1.0.

  ${NAME} scan https://api.example.com/weather
  ${NAME} scan https://api.example.com/weather --sarif > scan.sarif`,
    takes: {
      url: word('<url>', 'the endpoint, such as https://api.example.com/weather'),
      json: JSON_FLAG,
      sarif: flag('prints SARIF 2.1.0 instead of JSON'),
      file: option('<path>', 'file of the repository at which SARIF shows the results'),
    },
    run: async (given, io) => (await import('./scan.ts')).scan(given, io),
  }),
  command('pay', {
    about: 'Calls an endpoint and pays for it if the policy allows.',
    details: `Prints the bytes of the answer as they come, so that pay <url> > file.png is the file.
With --data the method is POST by default, and the type application/json if it is JSON, else that of a form. As with curl,
--data @file sends a file without its line ends, --data-binary @file all its bytes, and @- the standard input.
The key comes from PRIVATE_KEY, or from the file PRIVATE_KEY_FILE of mode 600.
${LEDGER}
${RPC}
Exit code: 0 answered (2xx), 1 refused or failed, and no payment was sent, 2 a payment was sent and got no complete 2xx:
do what the remedy says. The same call sends the same payment again.
JSON: paid, amountUsd (null if nothing was signed), chargedUsd (what this call added to what is spent: 0 for a
repetition), state (none, signed, sent, settled), paymentId, transaction, limit, remaining and resetsAt (of the limit that
refused), dayRemainingUsd and dayResetsAt (of the daily budget), code, reason, remedy, allowedBy (the setting or command
that would allow it, or nothing), flags, offered, profileUrl, liveCheck (amountUsd, state, paymentId), status, contentType,
content (at most 1 MiB of the body), encoding (base64 if the body is no text), file (of tools) and isCut.
Fields that do not apply are null.

  PRIVATE_KEY_FILE=~/.agent-key ${NAME} pay https://api.example.com/weather --max-usd 0.05
  PRIVATE_KEY_FILE=~/.agent-key ${NAME} pay https://api.example.com/translate --data '{"text":"hi"}'`,
    takes: {
      url: word('<url>', 'the endpoint, with its query'),
      'max-usd': option('<dollars>', 'maximum of this payment'),
      method: option('<m>', 'HTTP method; default GET, or POST with a body'),
      header: listOption("'Name: value'", 'a header of the request'),
      data: option('<body>', 'body as curl sends it; @file without its line ends, @- the standard input'),
      'data-binary': option('<body>', 'body as it is; @file with all its bytes'),
      policy: POLICY,
      ledger: LEDGER_OPTION,
      service: SERVICE,
      rpc: RPC_OPTION,
      json: JSON_FLAG,
    },
    run: async (given, io) => (await import('./pay.ts')).pay(given, io),
  }),
  command('budget', {
    about: 'Shows what is spent, reserved and left of each budget.',
    details: `${FOUND}
Limits are those of a guard with the same policy, and with the service if one is set.
JSON: isStopped, perPaymentUsd, askAboveUsd, newSellerPerCallUsd, and day, total, unknown, hosts, receivers and
unknownDomains, whose lines have limitUsd, spentUsd, reservedUsd, remainingUsd and resetsAt.

  ${NAME} budget --policy policy.json`,
    takes: {
      policy: POLICY,
      ledger: LEDGER_OPTION,
      service: SERVICE,
      json: JSON_FLAG,
    },
    run: async (given, io) => (await import('./spending.ts')).budget(given, io),
  }),
  command('strikes', {
    about: 'Lists endpoints that were paid and did not deliver, or forgets those of a host.',
    details: `${FOUND}
JSON: cleared (a host or null), strikes (endpoint and at, in ms since 1970).

  ${NAME} strikes --clear api.example.com`,
    takes: {
      clear: option('<host>', 'forgets those of this host'),
      ledger: LEDGER_OPTION,
      json: JSON_FLAG,
    },
    run: async (given, io) => (await import('./spending.ts')).strikes(given, io),
  }),
  command('pins', {
    about: 'Lists the pinned receivers, or forgets those of a host.',
    details: `${FOUND}
JSON: cleared (a host or null), pins (endpoint, network, asset and payTo).

  ${NAME} pins --clear api.example.com`,
    takes: {
      clear: option('<host>', 'forgets those of this host'),
      ledger: LEDGER_OPTION,
      json: JSON_FLAG,
    },
    run: async (given, io) => (await import('./spending.ts')).pins(given, io),
  }),
  command('stop', {
    about: 'Stops the payments of every process that shares the ledger, before the next signature.',
    details: `--resume allows them again.
A file STOP beside the ledger does the same.
${FOUND}
JSON: isStopped.

  ${NAME} stop`,
    takes: {
      resume: flag('allows payments again'),
      ledger: LEDGER_OPTION,
      json: JSON_FLAG,
    },
    run: async (given, io) => (await import('./spending.ts')).stop(given, io),
  }),
]
