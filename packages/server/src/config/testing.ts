import { type Config, readConfig } from './config.ts'
import type { Environment } from './storageSettings.ts'

/** Returns the settings of a sound service, with changes. */
export const anEnvironment = (changes: Environment = {}): Environment => ({
  PUBLIC_URL: 'https://trust.example',
  RPC_URLS: 'https://rpc.example/key',
  FACILITATOR_URL: 'https://facilitator.example',
  PAY_TO: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  OPERATOR_NAME: 'Example Trust',
  OPERATOR_CONTACT: 'ops@trust.example',
  DIRECTORIES: 'file=/dev/null',
  TRUST_PROXY: '1',
  ...changes,
})

/** Returns the configuration of a sound service, with changes. */
export function aConfig(changes: Partial<Config> = {}): Config {
  const read = readConfig(anEnvironment())
  if (!read.ok) throw new Error(read.problems.join('\n'))
  return { ...read.config, ...changes }
}

/** Returns what is wrong with the settings of a sound service after changes. */
export function problemsOf(changes: Environment): readonly string[] {
  const read = readConfig(anEnvironment(changes))
  return read.ok ? [] : read.problems
}
