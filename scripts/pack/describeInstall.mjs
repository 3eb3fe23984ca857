import { basename, relative } from 'node:path'

/** What the first program of README.md needs beside the guard. */
const PEERS = ['@x402/fetch', '@x402/evm', 'viem', 'tsx']

/**
 * Returns the shell line that installs archives in the folder that holds them, to be run in the caller's folder.
 * One call names all of them: each satisfies the others, which no registry has.
 */
export function describeInstall(folder, from, archives) {
  const path = relative(from, folder)
  const words = ['npm', 'install', ...archives.map((archive) => `./${basename(archive)}`), ...PEERS]
  const install = words.join(' ')
  return path === '' ? install : `cd ${quote(path)} && ${install}`
}

/** Quotes a path for a shell if it needs that. */
const quote = (path) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)
