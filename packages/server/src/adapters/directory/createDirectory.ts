import type { Directory } from '../../ports/directory.ts'
import type { DirectoryReadOptions } from '../../remote/readJson.ts'
import { createBazaarDirectory } from './createBazaarDirectory.ts'
import { createFileDirectory } from './createFileDirectory.ts'
import { createIndex402Directory } from './createIndex402Directory.ts'
import { createX402ListDirectory } from './createX402ListDirectory.ts'

/** A directory in the configuration. */
export type DirectorySource = {
  readonly kind: 'bazaar' | '402index' | 'x402-list' | 'file'
  readonly name: string
  /** URL of the service, or path of the file. */
  readonly location: string
}

/** Creates a directory from its configuration. */
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
