import type { Server } from 'node:http'
import { join } from 'node:path'
import { createCosigner, readLogPolicy } from '@touchstone402/transparency'
import { createWitness, createWitnessServer } from '@touchstone402/transparency/witness'
import { readWitnessSettings } from '../config/logSettings.ts'
import type { Environment } from '../config/storageSettings.ts'
import { messageOf } from '../lib/errors.ts'
import { listen } from '../lib/listen.ts'
import type { Log } from '../lib/logging.ts'
import { createLogger } from '../lib/logging.ts'
import { openNoteKey } from '../log/noteKeyFile.ts'
import { openWitnessBook } from '../log/openWitnessBook.ts'
import { createStopper } from '../services/stopper.ts'
import { stopOnSignal } from './stopOnSignal.ts'

/**
 * Runs a witness until SIGINT or SIGTERM.
 * @throws Error with one line per missing or wrong setting, or with the reason why it cannot start
 */
export async function runWitness(environment: Environment): Promise<undefined> {
  const { name, logs, dataDir, host, port, stopMs: limitMs } = readWitnessSettings(environment)
  const logger = createLogger({ level: 'info' })
  const log: Log = (level, message, fields) => logger[level](message, fields)
  const { onStop, stop } = createStopper(log)
  // Before the start, which may wait for a disk: the first process of a container gets no signal without a handler.
  stopOnSignal({ stop: () => stop({ limitMs }), log })
  const book = await openWitnessBook(dataDir)
  onStop('book', book.close, 'storage')
  const key = await openNoteKey(join(dataDir, 'witness-key'), name)
  const cosigner = await createCosigner(key.name, key.seed, Date.now)
  const { verifierKey } = cosigner
  const server = createWitnessServer({
    witness: createWitness({
      logs: logs.map((text) => readLogPolicy({ key: text })),
      cosigner,
      book,
    }),
    onError: (error) =>
      logger.warn(`witness: ${messageOf(error)}`, { event: 'witness_failed', reason: messageOf(error) }),
  })
  onStop('calls', ({ ms }) => close(server, ms), 'calls')
  const url = await listen(server, { host, port }, 'WITNESS_HOST, WITNESS_PORT')
  logger.info(`witness ${verifierKey} listening at ${url}`, { event: 'listening', key: verifierKey, url })
}

/** Closes a server once its requests are answered, or after a time. */
function close(server: Server, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(() => server.closeAllConnections(), ms)
    server.close(() => {
      clearTimeout(late)
      resolve()
    })
    server.closeIdleConnections()
  })
}
