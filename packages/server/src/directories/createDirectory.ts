import type { DirectoryReadOptions } from '../lib/readJson.ts'
import { createBazaarDirectory } from './createBazaarDirectory.ts'
import { createFileDirectory } from './createFileDirectory.ts'
import { createIndex402Directory } from './createIndex402Directory.ts'
import { createX402ListDirectory } from './createX402ListDirectory.ts'
import type { Directory } from './directory.ts'

/** A directory in the configuration. */
export type DirectorySource = {
  readonly kind: keyof typeof REMOTE | 'file'
  readonly name: string
  /** URL of the service, or path of the file. */
  readonly location: string
}

const REMOTE = {
  bazaar: createBazaarDirectory,
  '402index': createIndex402Directory,
  'x402-list': createX402ListDirectory,
}

/** Creates a directory from its configuration. */
export function createDirectory(
  { kind, name, location }: DirectorySource,
  options: DirectoryReadOptions,
): Directory {
  return kind === 'file'
    ? createFileDirectory({ name, path: location })
    : REMOTE[kind]({ ...options, name, url: location })
}
