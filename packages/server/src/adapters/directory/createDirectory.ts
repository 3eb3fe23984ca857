import type { Directory } from '../../ports/directory.ts'
import type { DirectoryReadOptions } from '../../remote/readJson.ts'
import { createBazaarDirectory } from './createBazaarDirectory.ts'
import { createFileDirectory } from './createFileDirectory.ts'
import { createIndex402Directory } from './createIndex402Directory.ts'
import { createX402ListDirectory } from './createX402ListDirectory.ts'

/** Where endpoints are listed, as configuration names it. */
export type DirectorySource = {
  readonly kind: 'bazaar' | '402index' | 'x402-list' | 'file'
  readonly name: string
  /** The service's URL, or the file's path. */
  readonly location: string
}

/** Creates the directory that a configuration names. */
export function createDirectory(
  { kind, name, location }: DirectorySource,
  options: DirectoryReadOptions,
): Directory {
  switch (kind) {
    case 'bazaar':
      return createBazaarDirectory({ ...options, name, url: location })
    case '402index':
      return createIndex402Directory({ ...options, name, url: location })
    case 'x402-list':
      return createX402ListDirectory({ ...options, name, url: location })
    case 'file':
      return createFileDirectory({ name, path: location })
  }
}
