import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'

/** Path of the test client: one file, since it starts hundreds of times. It goes with this process. */
export const CLIENT = await bundleClient()

async function bundleClient(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-client-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await build({
    config: false,
    silent: true,
    clean: false,
    entry: { client: fileURLToPath(new URL('./client.mjs', import.meta.url)) },
    outDir: folder,
    outExtension: () => ({ js: '.mjs' }),
    format: 'esm',
    platform: 'node',
    target: 'node20',
    splitting: false,
    noExternal: [/.*/],
  })
  return join(folder, 'client.mjs')
}

/** Manners of the test client. */
export type Manner =
  /** Pays the first offer of any challenge. */
  | 'careless'
  /** Pays listed terms within the budget, until a payment brings nothing. */
  | 'careful'
  /** Calls, and pays nothing. */
  | 'looking'
  /** Calls nothing. */
  | 'silent'
  /** Signs with another key. */
  | 'foreign'
  /** Sends a signature that does not verify. */
  | 'invalid'
  /** Starts another process and never ends. */
  | 'hanging'
  /** Fails before it calls. */
  | 'crashing'
  /** Is killed, never ends, or fails after its call if the budget is not one dollar, and is careless else. */
  | 'dying'
  | 'waiting'
  | 'refusing'
  /** Prints a megabyte, then is careless. */
  | 'chatty'

/** Returns the command of a test client. */
export const commandOf = (manner: Manner): string[] => [process.execPath, CLIENT, manner]
