import { flag, listOption, option, optionalWord } from '@touchstone402/shared/command-line'
import {
  command,
  JSON_FLAG,
  LEDGER,
  LEDGER_OPTION,
  NAME,
  POLICY,
  RPC,
  RPC_OPTION,
  SERVICE,
} from './declare.ts'

/** Commands that serve agents, and answer for their operator. Each loads only what it needs. */
export const SERVE_COMMANDS = [
  command('mcp', {
    about:
      "Serves the guard's tools over MCP: on standard input and output, or with --port as Streamable HTTP on this machine, where --json prints the address as JSON.",
    details: `Pays only with PRIVATE_KEY or PRIVATE_KEY_FILE. Reaches public
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
    takes: {
      policy: POLICY,
      ledger: LEDGER_OPTION,
      service: SERVICE,
      files: option('<folder>', 'folder for answers that are no text or too large'),
      rpc: RPC_OPTION,
      port: option('<n>', 'serves Streamable HTTP at this port of 127.0.0.1'),
      'token-file': option('<path>', 'file with the token for --port'),
      'allow-private-hosts': flag('also reaches private addresses, for development'),
      json: JSON_FLAG,
    },
    run: async (given, io) => (await import('./mcp.ts')).mcp(given, io),
  }),
  command('proxy', {
    about:
      'Pays for programs in every language: they call http://127.0.0.1:4402/https://api.example.com/weather with the header Touchstone-Token, and never see the key.',
    details: `Each --task has a token and a budget over the life of the ledger; without one
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
    takes: {
      task: listOption('<name=dollars>', 'a task and its budget; default default=5.00'),
      policy: POLICY,
      ledger: LEDGER_OPTION,
      service: SERVICE,
      port: option('<n>', 'port of 127.0.0.1; default 4402'),
      socket: option('<path>', 'listens on this socket instead of a port'),
      group: option('<name>', 'group that may use the socket'),
      folder: option('<path>', 'folder of tokens and secrets'),
      'allow-host': listOption('<host>', 'a target that is no public address'),
      rpc: RPC_OPTION,
      sign: flag('signs for payment libraries and pays no calls itself'),
      json: JSON_FLAG,
    },
    run: async (given, io) => (await import('./proxy.ts')).proxy(given, io),
  }),
  command('proxy page', {
    about: 'Prints the address of the page of a running proxy, and its password.',
    details: `The password holds until that proxy ends; any
user name goes with it. The proxy proves itself first.
JSON: url, password.

  ${NAME} proxy page`,
    takes: {
      folder: option('<path>', 'folder of the proxy'),
      json: JSON_FLAG,
    },
    run: async (given, io) => (await import('./approve.ts')).proxyPage(given, io),
  }),
  command('approve', {
    about:
      'Lists the payments that wait for the operator of a proxy or of mcp --port, or approves one of them: an equal call is then paid once.',
    details: `The proxy proves itself first; the operator's secret is never sent.
JSON: pending (id, task, question, state, expiresAt in ms since 1970); or id and state; with --show approval and body
(in Base64, or null).

  ${NAME} approve 3f9a0c51b2de --show
  ${NAME} approve 3f9a0c51b2de`,
    takes: {
      id: optionalWord('<id>', 'id of what waits; without it, all are listed'),
      refuse: flag('refuses it instead'),
      show: flag('prints all of it, with the whole body, and answers nothing'),
      folder: option('<path>', 'folder of the proxy'),
      json: JSON_FLAG,
    },
    run: async (given, io) => (await import('./approve.ts')).approve(given, io),
  }),
]
