import { createGuard } from '../../seats/createGuard.ts'
import { type CommandLine, type Io, readEndpoint } from './io.ts'
import { readPolicy, readService } from './options.ts'
import { printVerdict } from './printVerdict.ts'

/** `check <url>`: prints the signed verdict of an endpoint, or without a service what this machine finds. */
export async function check({ values, positionals }: CommandLine, io: Io): Promise<number> {
  const { given, key: endpoint } = readEndpoint('check', positionals)
  const policy = await readPolicy(values.policy)
  const service = readService(io, values.service)
  if (service === undefined) {
    // Apart from the rest, which needs none of its tables.
    const { checkHere } = await import('./scan.ts')
    return checkHere(given, endpoint, io, { policy, json: values.json })
  }
  const state = await createGuard({ service }).verdict(endpoint)
  const askForReasons = service.mode === 'map' ? 'ask without TOUCHSTONE_MODE=map' : null
  return printVerdict(io, endpoint, state, { json: values.json, askForReasons })
}
