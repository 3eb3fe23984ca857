import { parseArgs } from 'node:util'
import {
  type Command,
  type CommandDeclaration,
  choiceOption,
  defineCommand,
  flag,
  type Inputs,
  listOption,
  numberOption,
  option,
  optionalWord,
  word,
} from '@touchstone402/shared/command-line'
import type { Environment } from '../config/storageSettings.ts'
import type { Output } from '../lib/output.ts'

/** Environment and output of a command's process. */
export type CommandContext = {
  readonly env: Environment
  readonly output: Output
}

/** Text to print, or an exit code; undefined while a service runs. */
export type CommandResult = string | number | undefined

/** A declaration; most commands need no more than a sentence in the help. */
type Given<Takes extends Inputs> = Omit<
  CommandDeclaration<Takes, CommandContext, CommandResult>,
  'details' | 'name'
>

const command = <Takes extends Inputs>(name: string, given: Given<Takes>, details = '') =>
  defineCommand<Takes, CommandContext, CommandResult>({ ...given, name, details }, parseArgs)

/** The commands. Each loads only what it needs, once it runs. */
export const COMMANDS: readonly Command<CommandContext, CommandResult>[] = [
  command('serve', {
    about: 'Runs the service; the default.',
    takes: {
      role: choiceOption(
        ['api', 'worker', 'all'],
        'task of the process: answer requests, crawl, or both',
        'all',
      ),
      processes: numberOption('N', 'number of processes that answer requests, or that crawl as workers', {
        from: 1,
        to: 256,
        otherwise: 1,
      }),
      'new-keys': flag('makes a new key in place of a published one whose file is missing'),
    },
    run: async (given, { env, output }) => (await import('./runServe.ts')).runServe(given, env, output),
  }),
  command('doctor', {
    about: 'Checks what the service needs before it starts; changes nothing.',
    takes: {},
    run: async (_, { env, output }) => (await import('./doctor/runDoctor.ts')).runDoctor(env, output),
  }),
  command(
    'recompute',
    {
      about: 'Judges a host again from its stored probes, and compares the verdicts.',
      takes: {
        host: word('HOST', 'the host, such as api.example.com'),
      },
      run: async ({ host }, { env, output }) =>
        (await import('./runRecompute.ts')).runRecompute(host, env, output),
    },
    'Exit code: 0 all are equal, 1 some differ, 2 nothing is stored of the host.',
  ),
  command('backup', {
    about: 'Copies the store of the data folder into one file, also while the service runs.',
    takes: {
      file: word('FILE', 'the file to create, such as /backups/2026-06-01.db'),
    },
    run: async ({ file }, { env }) => (await import('./runBackup.ts')).runBackup(file, env),
  }),
  command('restore', {
    about: 'Puts a back-up into an empty data folder, and says what must not go back in time.',
    takes: {
      file: optionalWord('FILE', 'the back-up, such as /backups/2026-06-01.db'),
      check: flag('only reads a store that other tools have restored'),
      'new-keys': flag('goes on if a key file is missing, and the start makes a new key'),
    },
    run: async (given, { env, output }) => (await import('./runRestore.ts')).runRestore(given, env, output),
  }),
  command('witness', {
    about: 'Signs the logs of other services.',
    takes: {},
    run: async (_, { env }) => (await import('./runWitness.ts')).runWitness(env),
  }),
  command('map export', {
    about: 'Writes the map of verdicts as static files, for a CDN or a mirror.',
    takes: {
      folder: word('DIR', 'the folder, such as /srv/www/map'),
    },
    run: async ({ folder }, { env }) => (await import('./runMapExport.ts')).runMapExport(folder, env),
  }),
  command(
    'log recompute',
    {
      about: 'Judges an endpoint from the public log, and compares the result with its logged decision.',
      takes: {
        endpoint: word('URL', 'the endpoint, such as https://api.example.com/weather'),
        service: option('URL', 'the service; default TOUCHSTONE_URL'),
        key: option('KEY', 'public key of the log; default TOUCHSTONE_LOG_KEY'),
        witness: listOption('KEY', 'public key of a witness; default TOUCHSTONE_LOG_WITNESSES'),
        quorum: option('N', 'number of witnesses that must have signed; default more than half'),
        date: option('DATE', 'last day to judge by, such as 2026-06-01; default the last published one'),
        from: option('INDEX', 'first log entry to read; default 0'),
        json: flag('prints every finding as JSON'),
      },
      run: async (given, { env, output }) =>
        (await import('./runLogRecompute.ts')).runLogRecompute(given, env, output),
    },
    'Exit code: 0 nothing differs, 1 something differs or was refused, 2 nothing to recompute.',
  ),
  command(
    'log recompute findings',
    {
      about:
        'Applies the rules of the findings of an endpoint to the probes that they cite, on the same day.',
      takes: {
        endpoint: word('URL', 'the endpoint, such as https://api.example.com/weather'),
        service: option('URL', 'the service; default TOUCHSTONE_URL'),
        json: flag('prints every finding as JSON'),
      },
      run: async (given, { env, output }) =>
        (await import('./runLogRecomputeFindings.ts')).runLogRecomputeFindings(given, env, output),
    },
    'Exit code: 0 each finding holds, 1 one does not or was refused, 2 nothing to recompute.',
  ),
  command(
    'log recompute accuracy',
    {
      about:
        "Counts from the public log how one day's verdicts held, and compares the result with the report.",
      takes: {
        after: choiceOption(['1', '7', '30'], 'days after the verdicts', '1'),
        date: option('DATE', 'day of the verdicts, such as 2026-06-01; default the last published one'),
        service: option('URL', 'the service; default TOUCHSTONE_URL'),
        key: option('KEY', 'public key of the log; default TOUCHSTONE_LOG_KEY'),
        witness: listOption('KEY', 'public key of a witness; default TOUCHSTONE_LOG_WITNESSES'),
        quorum: option('N', 'number of witnesses that must have signed; default more than half'),
        json: flag('prints every count as JSON'),
      },
      run: async (given, { env, output }) =>
        (await import('./runLogRecomputeAccuracy.ts')).runLogRecomputeAccuracy(given, env, output),
    },
    'Exit code: 0 nothing differs, 1 something differs or was refused, 2 nothing to recompute.',
  ),
  command('log forget', {
    about: 'Deletes the opening of a log entry, which holds the names.',
    takes: {
      index: word('INDEX', 'index of the entry, such as 12'),
    },
    run: async ({ index }, { env }) => (await import('./runLogForget.ts')).runLogForget(index, env),
  }),
  command('log begin', {
    about: 'Ends the log and begins another one, while the service is stopped.',
    takes: {
      origin: optionalWord('ORIGIN', 'the new origin, such as trust.example/log2; default LOG_ORIGIN'),
      'without-witnesses': flag('goes on if a witness cannot be asked'),
    },
    run: async (given, { env }) => (await import('./runLogBegin.ts')).runLogBegin(given, env),
  }),
  command('webhooks add', {
    about: 'Adds a webhook of a host, and prints its secret once.',
    takes: {
      host: word('HOST', 'the host, such as api.example.com'),
      url: word('URL', 'https URL that gets the messages'),
    },
    run: async (given, { env }) => (await import('./runWebhooks.ts')).addWebhook(given, env),
  }),
  command('webhooks list', {
    about: 'Lists the webhooks.',
    takes: {},
    run: async (_, { env }) => (await import('./runWebhooks.ts')).listWebhooks(env),
  }),
  command('webhooks remove', {
    about: 'Removes a webhook.',
    takes: {
      id: word('ID', 'id of the webhook, as the list shows it'),
    },
    run: async ({ id }, { env }) => (await import('./runWebhooks.ts')).removeWebhook(id, env),
  }),
  command('disputes list', {
    about: 'Lists the open disputes, and by when an answer was promised.',
    takes: {},
    run: async (_, { env }) => (await import('./runDisputes.ts')).listDisputes(env),
  }),
  command('disputes answer', {
    about: 'Answers a dispute. Its text and your answer become public.',
    takes: {
      id: word('ID', 'id of the dispute, as the list shows it'),
      statement: word('ANSWER', 'your answer'),
    },
    run: async (given, { env }) => (await import('./runDisputes.ts')).decideDispute('answered', given, env),
  }),
  command('disputes uphold', {
    about: 'Says that a dispute is right. Its text and your answer become public.',
    takes: {
      id: word('ID', 'id of the dispute, as the list shows it'),
      statement: word('ANSWER', 'what you corrected, or will'),
    },
    run: async (given, { env }) => (await import('./runDisputes.ts')).decideDispute('upheld', given, env),
  }),
  command('disputes reject', {
    about: 'Rejects a dispute. Your reason becomes public, its text does not.',
    takes: {
      id: word('ID', 'id of the dispute, as the list shows it'),
      statement: word('REASON', 'your reason'),
    },
    run: async (given, { env }) => (await import('./runDisputes.ts')).decideDispute('rejected', given, env),
  }),
  command('replies list', {
    about: 'Lists the replies of owners that profiles show.',
    takes: {},
    run: async (_, { env }) => (await import('./runReplies.ts')).listReplies(env),
  }),
  command('replies take-down', {
    about: 'Deletes the text of a reply. The profile shows your reason instead.',
    takes: {
      id: word('ID', 'id of the reply, as the list shows it'),
      reason: word('REASON', 'your reason, which is public'),
    },
    run: async (given, { env }) => (await import('./runReplies.ts')).takeDownReply(given, env),
  }),
  command('rotate-keys', {
    about: 'Replaces the key that signs verdicts.',
    takes: {},
    run: async (_, { env }) => (await import('./runRotateKeys.ts')).runRotateKeys(env),
  }),
  command('migrate', {
    about: 'Brings the tables up to this version.',
    takes: {},
    run: async (_, { env }) => (await import('./runBackup.ts')).runMigrate(env),
  }),
  command('copy', {
    about: 'Copies the data folder into an empty database.',
    takes: {},
    run: async (_, { env }) => (await import('./runBackup.ts')).runCopy(env),
  }),
]
