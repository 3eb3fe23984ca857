import { parseSize } from '@touchstone402/shared/log'
import type { Environment } from '../config/storageSettings.ts'
import type { Output } from '../lib/output.ts'
import { runLogBegin } from './runLogBegin.ts'
import { runLogRecompute } from './runLogRecompute.ts'
import { withStore } from './withStore.ts'

/**
 * Runs a command on the log: `recompute` for anyone, `forget` and `begin` for its operator.
 * @returns an exit code or a summary
 * @throws Error with the reason if it fails
 */
export async function runLog(
  words: readonly string[],
  environment: Environment,
  output: Output,
): Promise<string | number> {
  const [verb, ...rest] = words
  if (verb === 'recompute') return runLogRecompute(rest, environment, output)
  if (verb === 'begin') return runLogBegin(rest, environment)
  return forget(words, environment)
}

/** Deletes the opening of a leaf, its salt and what it names. The leaf and the tree stay as they are. */
async function forget(words: readonly string[], environment: Environment): Promise<string> {
  const [verb, word, ...others] = words
  const index = parseSize(word)
  if (verb !== 'forget' || index === undefined || others.length > 0)
    throw new Error(
      'log takes "recompute URL --service URL --key KEY", "begin" and a new origin, or "forget" and the index of one leaf, such as log forget 12',
    )
  return withStore(environment, async ({ log }) => {
    if (await log.forget(index))
      return `The opening of leaf ${index} is deleted. Back-ups from before still hold it.`
    const size = await log.size()
    throw new Error(
      index < size
        ? `leaf ${index} has no opening: it contains no names, or its opening was deleted before`
        : `there is no leaf ${index}: the log has ${size} leaves`,
    )
  })
}
