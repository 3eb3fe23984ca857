import { access } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Published } from '../store/log.ts'
import { readBegunKeys } from '../store/log.ts'
import type { Store } from '../store/store.ts'

/** The file of a key, and what the key signs. */
export type KeyFile = {
  readonly use: keyof Published
  readonly setting: 'SIGNING_KEY_FILE' | 'LOG_KEY_FILE'
  readonly path: string
}

type KeyConfig = {
  readonly dataDir: string
  readonly signingKeyFile: string | null
  readonly log: { readonly keyFile: string | null }
}

/** Consequences of a new key for those who pinned the old one. */
const MEANS: Readonly<Record<KeyFile['use'], string>> = {
  decisions:
    'guards that pin the old key refuse every verdict until they are given the new one, and others until they are restarted',
  log: 'witnesses, guards and readers that know the old key refuse the log, which the new one cannot continue, so begin another: touchstone-server log begin NEW_ORIGIN',
}

/** Names the files of the keys that a service publishes. */
export const keyFilesOf = ({
  dataDir,
  signingKeyFile,
  log,
}: KeyConfig): Readonly<Record<KeyFile['use'], KeyFile>> => ({
  decisions: {
    use: 'decisions',
    setting: 'SIGNING_KEY_FILE',
    path: resolve(signingKeyFile ?? join(dataDir, 'signing-keys.json')),
  },
  log: { use: 'log', setting: 'LOG_KEY_FILE', path: resolve(log.keyFile ?? join(dataDir, 'log-key')) },
})

/** Lists the files that a process needs by its tasks. */
export function neededFiles(
  config: KeyConfig & { readonly hasMap: boolean },
  { answers, crawls }: { readonly answers: boolean; readonly crawls: boolean },
): readonly KeyFile[] {
  const { decisions, log } = keyFilesOf(config)
  // Each process that crawls may lead: it signs the map, and writes the log.
  return [...(answers || (crawls && config.hasMap) ? [decisions] : []), ...(crawls ? [log] : [])]
}

/** Returns the files that are not there. */
export async function findMissing(files: readonly KeyFile[]): Promise<readonly KeyFile[]> {
  const found = await Promise.all(files.map(({ path }) => isThere(path)))
  return files.filter((_, index) => !found[index])
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

/** Says that a new key replaces one whose file is missing. @param isSettled whether the start makes it for sure */
export const describeNewKey = ({ path, use }: KeyFile, isSettled: boolean) =>
  `${path} is missing: the start ${isSettled ? 'makes' : 'would make'} a new key; then ${MEANS[use]}`

/** Says why a start is refused. */
export const describeLost = ({ setting, path, use }: KeyFile) =>
  `${setting}: ${path} is missing, though its key is published: put it back, or make a new one with touchstone-server serve --new-keys; then ${MEANS[use]}`

/**
 * Refuses to go on if the file of a published key is missing, unless new keys are asked for.
 * @param files of the keys that the process needs
 * @throws Error with one line for each such file
 */
export async function requireKeys(
  store: Store,
  files: readonly KeyFile[],
  { takesNew, onNew }: { readonly takesNew: boolean; readonly onNew: (line: string, file: KeyFile) => void },
): Promise<void> {
  // Before the files are looked for: a process that starts at the same time writes its own before it publishes the key.
  const published = await readBegunKeys(store)
  const lost = await findMissing(files.filter(({ use }) => published[use]))
  if (lost.length > 0 && !takesNew) throw new Error(lost.map(describeLost).join('\n'))
  for (const file of lost) onNew(describeNewKey(file, true), file)
}
